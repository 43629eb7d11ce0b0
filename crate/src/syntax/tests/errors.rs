//! What a person reads when a text is not PTX: message, place, and what was still understood.

use expect_test::{Expect, expect};

use crate::base::Source;
use crate::diag::CODES;
use crate::syntax::{MAX_ERRORS, parse, print};

/// The diagnostics of a text, and the module that was read all the same.
fn check(text: &str, expected: Expect) {
    let parsed = parse(Source::Optimized, text);
    let errors = super::errors(text, &parsed);
    expected.assert_eq(&format!("{errors}---\n{}", print(&parsed.module)));
}

#[test]
fn every_example_of_the_table_gives_its_code_alone() {
    for (code, row) in CODES.iter().filter(|(_, row)| row.name.starts_with('P')) {
        let found = parse(Source::Reference, row.example).diagnostics;
        let last = found.last().unwrap_or_else(|| panic!("{code}: no error"));
        assert_eq!(last.code, *code, "{found:#?}");
        assert!(found.len() == 1 || found.len() == MAX_ERRORS + 1, "{found:#?}");
    }
}

#[test]
fn several_errors_in_one_run() {
    check(
        "
.version 8.0
.entry k(.param .u64 p)
{
	.reg .b32 %r<4>
	add.s32 %r1 %r2, %r3;
	mul.lo.s32 %r1, , 3;
	ld.global.u32 %r1, [%rd1;
	mov.b64 {%r1, %r2, %rd1;
	mov.u32 %r1, 0xZZ;
	.nonsense 5;
	sub.s32 %r1, %r2, %r3;
	@%p1
	ret;
}
.entry l() { ret }
.entry m() { ret; }
",
        expect![[r#"
            5:16 P001 expected `,` or `;` before the end of the line «>»
            6:14 P001 expected `,` or `;`, found `%r2` «%r2»
            7:18 P001 expected an operand, found `,` «,»
            8:26 P001 expected `+`, `,` or `]`, found `;` «;»
            9:25 P001 expected `,` or `}`, found `;` «;»
            10:15 P001 expected a number, found `0xZZ` «0xZZ»
            11:2 P001 expected a statement, found `.nonsense` «.nonsense»
            16:18 P001 expected an operand or `;`, found `}` «}»
            ---
            .version 8.0
            .entry k(.param .u64 p)
            {
            	sub.s32 %r1, %r2, %r3;
            	@%p1 ret;
            }
            .entry l()
            {
            }
            .entry m()
            {
            	ret;
            }
        "#]],
    );
}
