# The command in a container:
#
#   docker build -t trustpath .
#   docker run --rm -v "$PWD:/data" trustpath label pool.npy --labels labels.csv --out out.csv
FROM rust:1-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked --bin trustpath

FROM debian:bookworm-slim
COPY --from=build /source/target/release/trustpath /usr/local/bin/trustpath
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/trustpath/
WORKDIR /data
USER 1000:1000
ENTRYPOINT ["trustpath"]
