//! The names of the parts of a labelling interface that a single choice needs.

use std::collections::HashMap;

/// The control that chooses, and the object that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlNames {
    /// The name of the control, such as `label`.
    pub from: String,
    /// The name of the object, such as `image`.
    pub to: String,
    /// The key of `data` that the object shows, where the interface is known.
    pub key: Option<String>,
}

impl ControlNames {
    /// The first `Choices` of an interface and its object.
    ///
    /// ```
    /// use trustpath_table::ControlNames;
    /// let interface = r#"<View><Text name="t" value="$question"/>
    ///     <Choices name="kind" toName="t"><Choice value="a"/></Choices></View>"#;
    /// let names = ControlNames::of_interface(interface).unwrap();
    /// assert_eq!((&names.from[..], &names.to[..], names.key.as_deref()), ("kind", "t", Some("question")));
    /// ```
    pub fn of_interface(xml: &str) -> Option<Self> {
        let tags: Vec<(&str, HashMap<&str, String>)> = tags(xml).collect();
        let (_, choices) = tags.iter().find(|(tag, _)| *tag == "Choices")?;
        let (from, to) = (choices.get("name")?.clone(), choices.get("toName")?.clone());
        let object = tags.iter().find(|(tag, with)| *tag != "Choices" && with.get("name") == Some(&to));
        let value = object.and_then(|(_, with)| with.get("value"));
        let key = value.and_then(|value| value.strip_prefix('$')).map(Into::into);
        Some(Self { from, to, key })
    }
}

/// The opening tags of a text in XML with their attributes. What is no tag is left out.
fn tags(xml: &str) -> impl Iterator<Item = (&str, HashMap<&str, String>)> {
    xml.split('<').skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| c.is_whitespace() || c == '>' || c == '/')?;
        let (tag, mut rest) = rest.split_at(end);
        let mut attributes = HashMap::new();
        while let Some((name, after)) = rest.split_once('=') {
            let name = name.trim_start_matches(['/', '>']).trim();
            let after = after.trim_start();
            let Some(quote) = after.chars().next().filter(|c| matches!(c, '"' | '\'')) else { break };
            let Some((value, after)) = after[1..].split_once(quote) else { break };
            attributes.insert(name, unescaped(value));
            rest = after;
        }
        (!tag.is_empty()).then_some((tag, attributes))
    })
}

fn unescaped(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_control_is_chosen_among_others() {
        let xml = "<View>\n <!-- a < b -->\n <Header value='x = 1'/>\n <Image name='img' value='$photo' zoom=\"true\"/>\n\
            <Choices toName='img' name='first' choice='single'><Choice value=\"a &amp; b\"/></Choices>\
            <Choices name=\"second\"\n toName=\"img\"/></View>";
        let names = ControlNames::of_interface(xml).unwrap();
        assert_eq!((names.from.as_str(), names.to.as_str()), ("first", "img"));
        assert_eq!(names.key.as_deref(), Some("photo"));
        for none in ["", "<View", "<Choices name=>", "<Choices name='a'/>", "<Labels name='a' toName='b'/>"] {
            assert_eq!(ControlNames::of_interface(none), None, "{none}");
        }
    }
}
