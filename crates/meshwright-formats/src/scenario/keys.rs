//! The keys that an object of a JSON file may have: no others, and none twice.

use std::cell::RefCell;
use std::fmt;
use std::result::Result as Plain;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::source::{ScenarioText as Text, json_fault};
use meshwright_core::error::Result;
use meshwright_core::text::{harmless, nearest};
use meshwright_core::words::quoted;

/// The keys of an object, and the form of what stands under some of them. Of a list, it is the form of each entry.
pub(super) struct Keys {
    pub(super) known: &'static [&'static str],
    pub(super) below: &'static [(&'static str, Keys)],
}

impl Keys {
    /// Refuses a text with other keys.
    ///
    /// # Errors
    ///
    /// [`Parse`](meshwright_core::Error::Parse) with the place of the first key that is unknown or stands there a second time.
    pub(super) fn hold(&self, text: &Text) -> Result<()> {
        let expected = RefCell::new("JSON".to_string());
        let mut reader = serde_json::Deserializer::from_str(&text.text);
        let value = Held { keys: Some(self), expected: &expected };
        value.deserialize(&mut reader).map_err(|error| {
            let (at, message) = json_fault(text.text.as_bytes(), &error);
            text.error(at, message, expected.take())
        })
    }

    /// What may stand in place of a key.
    fn expected(&self, key: &str) -> String {
        nearest(key, self.known).map_or_else(|| quoted(self.known), |near| format!("`{near}`"))
    }
}

/// A value that is read for its keys alone.
#[derive(Clone, Copy)]
struct Held<'k> {
    /// None where any key will do.
    keys: Option<&'k Keys>,
    /// What would be accepted at the fault.
    expected: &'k RefCell<String>,
}

impl<'t> DeserializeSeed<'t> for Held<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'t>>(self, value: D) -> Plain<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'t> Visitor<'t> for Held<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a value")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Plain<(), A::Error> {
        let mut seen: Vec<String> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                self.expected.replace("each key once".to_string());
                return Err(A::Error::custom(format!("`{}` stands here twice", harmless(&key))));
            }
            if let Some(keys) = self.keys.filter(|keys| !keys.known.contains(&key.as_str())) {
                self.expected.replace(keys.expected(&key));
                return Err(A::Error::custom(format!("unknown key `{}`", harmless(&key))));
            }
            let below = self.keys.and_then(|keys| keys.below.iter().find(|(name, _)| *name == key));
            map.next_value_seed(Held { keys: below.map(|(_, keys)| keys), ..self })?;
            seen.push(key);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut list: A) -> Plain<(), A::Error> {
        while list.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Plain<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Plain<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Plain<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Plain<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Plain<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Plain<(), E> {
        Ok(())
    }
}
