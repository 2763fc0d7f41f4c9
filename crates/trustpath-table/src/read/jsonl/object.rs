//! One line: an object whose numbers go straight to where they stay.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::super::{FEATURE_NAMES, Wanted};

/// Where the features of a line are.
pub(super) enum Layout {
    /// A list under this key.
    List(String),
    /// Each under one of these keys.
    Keys(Vec<String>),
}

/// A NaN that no number converts to: a null in a list.
pub(super) const NULL: u32 = 0x7fc0_dead;

/// A value of no depth.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scrap {
    /// The key is not there.
    Nothing,
    Null,
    Whole(i128),
    Number(f64),
    Text(String),
    /// A list or an object.
    Other,
}

impl Scrap {
    /// As text, if it says something; a whole number as such.
    pub fn text(self) -> Option<String> {
        match self {
            Self::Whole(number) => Some(number.to_string()),
            Self::Number(number) => Some(number.to_string()),
            Self::Text(text) => Some(text),
            Self::Nothing | Self::Null | Self::Other => None,
        }
    }
}

/// One line in the making.
pub(super) struct Object<'a, 'b> {
    pub wanted: Wanted<'a>,
    /// As the first line has it.
    pub layout: Option<&'b Layout>,
    pub features: &'b mut Vec<f32>,
    /// The key of the list that was read.
    pub list: Option<String>,
    /// The values of the other keys.
    pub keyed: Vec<(String, Scrap)>,
    pub id: Scrap,
    pub label: Scrap,
}

impl Object<'_, '_> {
    /// Whether a list under this key is the features.
    fn takes_list(&self, key: &str) -> bool {
        match self.layout {
            None => self.list.is_none() && FEATURE_NAMES.contains(&key),
            Some(Layout::List(name)) => name == key && self.list.is_none(),
            Some(Layout::Keys(_)) => false,
        }
    }
}

impl<'de> DeserializeSeed<'de> for &mut Object<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> std::result::Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Object<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("one object on each line")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        let keys = !matches!(self.layout, Some(Layout::List(_))) && !self.wanted.labels_only;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if key == self.wanted.id_column() {
                self.id = map.next_value_seed(Value(None))?;
            } else if key == self.wanted.label_column() {
                self.label = map.next_value_seed(Value(None))?;
            } else if self.takes_list(&key) {
                let before = self.features.len();
                let scrap = map.next_value_seed(Value(Some(self.features)))?;
                match scrap {
                    Scrap::Other if self.features.len() > before => {
                        self.list = Some(key.into_owned())
                    }
                    scrap if keys => self.keyed.push((key.into_owned(), scrap)),
                    _ => {}
                }
            } else if keys {
                let scrap = map.next_value_seed(Value(None))?;
                self.keyed.push((key.into_owned(), scrap));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// A value; the numbers of a list go where they are wanted.
struct Value<'b>(Option<&'b mut Vec<f32>>);

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = Scrap;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> std::result::Result<Scrap, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = Scrap;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number, a text, a list or null")
    }

    fn visit_unit<E>(self) -> std::result::Result<Scrap, E> {
        Ok(Scrap::Null)
    }

    fn visit_bool<E>(self, value: bool) -> std::result::Result<Scrap, E> {
        Ok(Scrap::Whole(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> std::result::Result<Scrap, E> {
        Ok(Scrap::Whole(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> std::result::Result<Scrap, E> {
        Ok(Scrap::Whole(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> std::result::Result<Scrap, E> {
        Ok(Scrap::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> std::result::Result<Scrap, E> {
        Ok(Scrap::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Scrap, A::Error> {
        match self.0 {
            None => while list.next_element::<IgnoredAny>()?.is_some() {},
            Some(features) => {
                while let Some(value) = list.next_element::<Option<f32>>()? {
                    features.push(value.unwrap_or(f32::from_bits(NULL)));
                }
            }
        }
        Ok(Scrap::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Scrap, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scrap::Other)
    }
}
