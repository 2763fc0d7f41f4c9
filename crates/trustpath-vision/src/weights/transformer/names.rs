//! What checkpoints call the parameters of a vision transformer. A name that ends in a dot or a line is followed by `weight`
//! and `bias`.

/// One way to name the parameters.
pub(super) struct Names {
    /// A key that tells this way from others; what is before it is the prefix of all keys.
    pub landmark: &'static str,
    pub patch: &'static str,
    pub class: &'static str,
    pub registers: &'static [&'static str],
    pub positions: &'static str,
    pub before: &'static str,
    /// Followed by the number of a layer and a dot.
    pub layers: &'static str,
    pub norm1: &'static str,
    /// Queries, keys and values together or apart; the first way that is there.
    pub qkv: &'static [&'static [&'static str]],
    pub proj: &'static [&'static str],
    pub scales: [&'static str; 2],
    pub norm2: &'static str,
    pub mlp: [&'static str; 2],
    pub norm: &'static str,
    pub head: FeatureHead,
    pub pool: Option<PoolNames>,
}

/// The projection of the feature.
pub(super) enum FeatureHead {
    /// Never.
    None,
    /// Outputs × inputs, under this key; beside the vision model where this is a part of a larger one.
    Beside(&'static str),
    /// The same with a bias, which is zero unless it is a classifier instead.
    Unbiased(&'static str),
    /// Inputs × outputs.
    Turned(&'static str),
}

/// The pooling by a learned query.
pub(super) struct PoolNames {
    pub latent: &'static str,
    /// The map of the query and that of keys and values; or all three together.
    pub query: &'static [&'static str],
    pub proj: &'static str,
    pub norm: &'static str,
    pub mlp: [&'static str; 2],
}

/// timm, and the authors of DINOv2.
const TIMM: Names = Names {
    landmark: "patch_embed.proj.weight",
    patch: "patch_embed.proj.",
    class: "cls_token",
    registers: &["reg_token", "register_tokens"],
    positions: "pos_embed",
    before: "norm_pre.",
    layers: "blocks.",
    norm1: "norm1.",
    qkv: &[&["attn.qkv."]],
    proj: &["attn.proj."],
    scales: ["ls1.gamma", "ls2.gamma"],
    norm2: "norm2.",
    mlp: ["mlp.fc1.", "mlp.fc2."],
    norm: "norm.",
    head: FeatureHead::Unbiased("head."),
    pool: Some(PoolNames {
        latent: "attn_pool.latent",
        query: &["attn_pool.q.", "attn_pool.kv."],
        proj: "attn_pool.proj.",
        norm: "attn_pool.norm.",
        mlp: ["attn_pool.mlp.fc1.", "attn_pool.mlp.fc2."],
    }),
};

/// DINOv2 of Hugging Face, in two versions.
const HUGGING_FACE_DINO: Names = Names {
    landmark: "embeddings.patch_embeddings.projection.weight",
    patch: "embeddings.patch_embeddings.projection.",
    class: "embeddings.cls_token",
    registers: &["embeddings.register_tokens"],
    positions: "embeddings.position_embeddings",
    before: "",
    layers: "encoder.layer.",
    norm1: "norm1.",
    qkv: &[
        &["attention.attention.query.", "attention.attention.key.", "attention.attention.value."],
        &["attention.q_proj.", "attention.k_proj.", "attention.v_proj."],
    ],
    proj: &["attention.output.dense.", "attention.o_proj."],
    scales: ["layer_scale1.lambda1", "layer_scale2.lambda1"],
    norm2: "norm2.",
    mlp: ["mlp.fc1.", "mlp.fc2."],
    norm: "layernorm.",
    head: FeatureHead::None,
    pool: None,
};

/// CLIP and SigLIP of Hugging Face.
const HUGGING_FACE: Names = Names {
    landmark: "embeddings.patch_embedding.weight",
    patch: "embeddings.patch_embedding.",
    class: "embeddings.class_embedding",
    registers: &[],
    positions: "embeddings.position_embedding.weight",
    before: "pre_layrnorm.",
    layers: "encoder.layers.",
    norm1: "layer_norm1.",
    qkv: &[&["self_attn.q_proj.", "self_attn.k_proj.", "self_attn.v_proj."]],
    proj: &["self_attn.out_proj."],
    scales: ["", ""],
    norm2: "layer_norm2.",
    mlp: ["mlp.fc1.", "mlp.fc2."],
    norm: "post_layernorm.",
    head: FeatureHead::Beside("visual_projection.weight"),
    pool: Some(PoolNames {
        latent: "head.probe",
        query: &["head.attention.in_proj_"],
        proj: "head.attention.out_proj.",
        norm: "head.layernorm.",
        mlp: ["head.mlp.fc1.", "head.mlp.fc2."],
    }),
};

/// CLIP of its authors and of open_clip.
const OPEN_AI: Names = Names {
    landmark: "class_embedding",
    patch: "conv1.",
    class: "class_embedding",
    registers: &[],
    positions: "positional_embedding",
    before: "ln_pre.",
    layers: "transformer.resblocks.",
    norm1: "ln_1.",
    qkv: &[&["attn.in_proj_"]],
    proj: &["attn.out_proj."],
    scales: ["", ""],
    norm2: "ln_2.",
    mlp: ["mlp.c_fc.", "mlp.c_proj."],
    norm: "ln_post.",
    head: FeatureHead::Turned("proj"),
    pool: None,
};

/// All of them; a checkpoint of Hugging Face has the landmark of the last as well.
pub(super) const ALL: [Names; 4] = [TIMM, HUGGING_FACE_DINO, HUGGING_FACE, OPEN_AI];
