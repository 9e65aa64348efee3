//! Makes the types of FIX 4.4 from its dictionary, and finds libnexusfix_c.so.
//!
//! `NEXUSFIX_LIB_DIR` names the folder of the library; without it, the linker searches its own.

use std::{collections::HashSet, env, fmt::Write, fs, path::Path};

fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let begin = line.find(&format!(" {name}=\""))? + name.len() + 3;
    line[begin..].split('"').next()
}

/// `BUY_MINUS` is `BuyMinus`. A name that begins with a digit gets a `V`.
fn variant(name: &str) -> String {
    let mut made = String::new();
    for word in name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        let (first, rest) = word.split_at(1);
        made += &first.to_ascii_uppercase();
        made += &rest.to_ascii_lowercase();
    }
    if made.starts_with(|c: char| c.is_ascii_digit()) || made == "Self" {
        made.insert(0, 'V');
    }
    made
}

fn rust_type(kind: &str) -> &'static str {
    match kind {
        "INT" | "LENGTH" | "NUMINGROUP" | "SEQNUM" => "i64",
        "PRICE" | "QTY" | "AMT" | "FLOAT" | "PERCENTAGE" | "PRICEOFFSET" => "crate::Decimal",
        "BOOLEAN" => "bool",
        "UTCTIMESTAMP" => "crate::Timestamp",
        "DATA" => "&'a [u8]",
        _ => "&'a str",
    }
}

fn write_enum(out: &mut String, name: &str, values: &[(String, String)]) {
    let mut seen = HashSet::new();
    let values: Vec<(String, &String)> = values
        .iter()
        .map(|(value, text)| (variant(text), value))
        .filter(|(variant, _)| seen.insert(variant.clone()))
        .collect();
    writeln!(out, "values! {{ {name}").unwrap();
    for (variant, value) in values {
        writeln!(out, "    {variant} = {value:?},").unwrap();
    }
    writeln!(out, "}}").unwrap();
}

fn main() {
    let dictionary = "../../dictionaries/FIX44.xml";
    println!("cargo:rerun-if-changed={dictionary}");
    println!("cargo:rerun-if-env-changed=NEXUSFIX_LIB_DIR");
    if let Ok(folder) = env::var("NEXUSFIX_LIB_DIR") {
        println!("cargo:rustc-link-search=native={folder}");
    }
    println!("cargo:rustc-link-lib=dylib=nexusfix_c");

    let text = fs::read_to_string(dictionary).expect("the dictionary of FIX 4.4");
    let (mut messages, mut fields, mut enums) = (String::new(), String::new(), String::new());
    let mut open: Option<(String, Vec<(String, String)>)> = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with("<message ") {
            let name = attribute(line, "name").unwrap();
            let kind = attribute(line, "msgtype").unwrap();
            writeln!(messages, "message!({name}, {kind:?});").unwrap();
        } else if line.starts_with("<field number=") {
            let name = attribute(line, "name").unwrap();
            let tag = attribute(line, "number").unwrap();
            let kind = attribute(line, "type").unwrap();
            let is_list = kind.starts_with("MULTIPLE");
            let has_values = !line.ends_with("/>") && !is_list && kind != "BOOLEAN";
            if has_values {
                open = Some((name.to_string(), Vec::new()));
                writeln!(fields, "field!({name}, {tag}, super::{name});").unwrap();
            } else {
                writeln!(fields, "field!({name}, {tag}, {});", rust_type(kind)).unwrap();
            }
        } else if line.starts_with("<value ") {
            if let Some((_, values)) = &mut open {
                let value = attribute(line, "enum").unwrap().to_string();
                values.push((value, attribute(line, "description").unwrap().to_string()));
            }
        } else if line.starts_with("</field>") {
            if let Some((name, values)) = open.take() {
                write_enum(&mut enums, &name, &values);
            }
        }
    }
    let made = format!(
        "{enums}\n/// Message types, for `Encoder` and `Session::send()`.\npub mod message {{\n\
         {messages}}}\n/// Fields, for `get()` and `set()`.\npub mod field {{\n{fields}}}\n"
    );
    let folder = env::var("OUT_DIR").unwrap();
    fs::write(Path::new(&folder).join("fix44.rs"), made).unwrap();
}
