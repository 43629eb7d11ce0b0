//! Counts, sizes and times as people read them.

/// `1,234,567`
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1.5 MiB`
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 3] = ["KiB", "MiB", "GiB"];
    let mut size = bytes as f64;
    let mut unit = "bytes";
    for next in UNITS {
        if size < 1024.0 {
            break;
        }
        size /= 1024.0;
        unit = next;
    }
    if unit == "bytes" { format!("{bytes} bytes") } else { format!("{size:.1} {unit}") }
}

/// `1.24 s`, `350 ms`, `0.4 ms`
pub fn duration(milliseconds: f64) -> String {
    match milliseconds {
        ms if ms >= 10_000.0 => format!("{:.1} s", ms / 1000.0),
        ms if ms >= 1000.0 => format!("{:.2} s", ms / 1000.0),
        ms if ms >= 10.0 => format!("{ms:.0} ms"),
        ms => format!("{ms:.1} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(bytes(512), "512 bytes");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(duration(0.44), "0.4 ms");
        assert_eq!(duration(350.2), "350 ms");
        assert_eq!(duration(1240.0), "1.24 s");
    }
}
