//! Templates filled in: they are part of the program, and the tests of the pages parse them.

use minijinja::value::{Serde, Value};
use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;

use super::script;
use meshwright_core::text::harmless_lines;

/// A page from its template; what stands at the head of every page, the sections of a divisible load, of a program of
/// groups and of a collective operation, the figures of a method and the methods left out are templates of their own.
///
/// # Panics
///
/// When the template names a field that the view has not.
pub fn page(template: &str, view: impl Serialize) -> String {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // The names end in html, so that text is escaped.
    for (name, text) in [
        ("head.html", include_str!("head.html")),
        ("foot.html", include_str!("foot.html")),
        ("mark.html", include_str!("mark.html")),
        ("figures.html", include_str!("figures.html")),
        ("skipped.html", include_str!("skipped.html")),
        ("load.html", include_str!("load.html")),
        ("groups.html", include_str!("groups.html")),
        ("race.html", include_str!("race.html")),
        ("page.html", template),
    ] {
        environment.add_template(name, text).expect("the tests of the pages parse the templates");
    }
    environment.add_global("script", Value::from_safe_string(script::text()));
    environment.add_global("script_hash", script::hash());
    let page = environment.get_template("page.html").expect("it was added above");
    let page = page
        .render(Serde(view))
        .expect("a template names fields of its view only, as the tests of the pages show");
    harmless_lines(&page).into_owned()
}
