//! Bad files: the place, the words, and the excerpt of every complaint.

use meshwright_core::Error;
use meshwright_mapping::task_file;

use super::fault;

/// Text, line, column, a phrase of the message with what is expected.
type Case = (&'static str, u64, u64, &'static str);

fn check(file: &str, cases: &[Case]) {
    for &(text, line, column, phrase) in cases {
        let error = fault(file, text.as_bytes());
        let place = (error.line, error.column);
        assert!(error.to_string().contains(phrase), "{text:?}\n  said: {error}\n  want: {phrase}");
        assert_eq!(place, (line, column), "{text:?}\n  said: {error}");
        assert_eq!(error.file, file);
        assert!(error.excerpt.len() <= 160 && error.start + error.length <= error.excerpt.len());
    }
}

#[test]
fn matrix_market() {
    const H: &str = "%%MatrixMarket matrix coordinate";
    check(
        "a.mtx",
        &[
            ("", 1, 1, "header of a Matrix Market file is incomplete; expected `%%MatrixMarket`"),
            ("hello\n", 1, 1, "the header says `hello`; expected `%%MatrixMarket`"),
            ("%%MatrixMarket matrix array real general\n", 1, 23, "`array`; expected `coordinate`"),
            ("%%MatrixMarket matrix coordinate complex general\n", 1, 34, "`integer` or `real` or `pattern`"),
            ("%%MatrixMarket matrix coordinate real hermitian\n", 1, 39, "expected `general` or `symmetric`"),
            ("%%MatrixMarket matrix coordinate real\n", 1, 38, "incomplete"),
            ("%%MatrixMarket matrix coordinate real general x\n", 1, 47, "`x` is too much"),
        ],
    );
    for (rest, line, column, phrase) in [
        (" real general\n% only a comment\n", 3, 1, "the number of rows is missing"),
        (" real general\n2 3 1\n", 2, 3, "square) is `3`; expected 2"),
        (" real general\n0 0 0\n", 2, 1, "rows is `0`; expected an integer from 1 to 16777216"),
        (" real general\n99999999999999999999 2 0\n", 2, 1, "expected an integer from 1 to 16777216"),
        (" real general\n2 2\n", 2, 4, "the number of entries is missing"),
        (" real general\n2 2 99999999999\n", 2, 5, "the number of entries is `99999999999`"),
        (" real general\n2 2 1 1\n", 2, 7, "`1` is too much on this line"),
        (" real general\n2 2 2\n1 2 1\n", 4, 1, "the file ends after 1 of 2 entries"),
        (" real general\n2 2 1\n1 2 1\n2 1 1\n", 4, 1, "`2` follows the last entry"),
        (" real general\n2 2 1\n1 3 1\n", 3, 3, "column is `3`; expected an integer from 1 to 2"),
        (" real general\n2 2 1\n0 1 1\n", 3, 1, "row is `0`; expected an integer from 1 to 2"),
        (" real general\n2 2 1\n-1 1 1\n", 3, 1, "row is `-1`"),
        (" real general\n2 2 1\n1 x 1\n", 3, 3, "column is `x`"),
        (" real general\n2 2 1\n1 2\n", 3, 4, "value is missing; expected a real number from 0 to"),
        (" real general\n2 2 1\n1 2 nan\n", 3, 5, "value is `nan`; expected a real number from 0"),
        (" real general\n2 2 1\n1 2 inf\n", 3, 5, "value is `inf`"),
        (" real general\n2 2 1\n1 2 1e400\n", 3, 5, "value is `1e400`"),
        (" real general\n2 2 1\n1 2 -0.5\n", 3, 5, "value is `-0.5`"),
        (" real general\n2 2 1\n1 2 +\n", 3, 5, "value is `+`"),
        (" real general\n2 2 1\n1 2 1e13\n", 3, 5, "real number from 0 to 1099511627776"),
        (" integer general\n2 2 1\n1 2 1.5\n", 3, 5, "value is `1.5`; expected an integer"),
        (" integer general\n2 2 1\n1 2 1099511627777\n", 3, 5, "from 0 to 1099511627776"),
        (" pattern general\n2 2 1\n1 2 5\n", 3, 5, "`5` is too much on this line; expected one entry"),
    ] {
        let text = format!("{H}{rest}");
        let error = fault("a.mtx", text.as_bytes());
        assert!(error.to_string().contains(phrase), "{text:?}\n  said: {error}\n  want: {phrase}");
        assert_eq!((error.line, error.column), (line, column), "{text:?}\n  said: {error}");
    }
}

#[test]
fn metis() {
    check(
        "a.graph",
        &[
            ("", 1, 1, "the file is empty; expected an integer"),
            ("% nothing\n", 2, 1, "the number of vertices is missing"),
            ("x 1\n", 1, 1, "the number of vertices is `x`"),
            ("0 0\n", 1, 1, "vertices is `0`; expected an integer from 1 to 16777216"),
            ("2\n", 1, 2, "the number of edges is missing"),
            ("2 1 2\n", 1, 5, "the format is `2`; expected three digits"),
            ("2 1 1111\n", 1, 5, "the format is `1111`"),
            ("2 1 10 0\n", 1, 8, "the number of vertex weights is `0`"),
            ("2 1 1 2\n", 1, 7, "the format says none"),
            ("2 1 10 1 1\n", 1, 10, "`1` is too much on this line"),
            ("3 1\n2\n1\n", 4, 1, "the file ends after 2 of 3 vertices"),
            ("2 1\n3\n1\n", 2, 1, "neighbour is `3`; expected an integer from 1 to 2"),
            ("2 1\n0\n1\n", 2, 1, "neighbour is `0`"),
            ("2 1\n2\n-1\n", 3, 1, "neighbour is `-1`"),
            ("2 1\n2\nnan\n", 3, 1, "neighbour is `nan`"),
            ("2 1\n1\n1\n", 2, 1, "vertex 1 lists itself"),
            ("2 1 1\n2\n1\n", 2, 2, "edge weight is missing"),
            ("2 1 1\n2 5\n1 99999999999999999999\n", 3, 3, "edge weight is `99999999999999999999`"),
            ("2 1 10\n\n1 1\n", 2, 1, "vertex weight is missing"),
            ("2 1\n2\n1\n2\n", 4, 1, "`2` follows the line of the last vertex"),
            ("2 1\n2 2\n1\n", 3, 1, "more neighbours than 1 edges have ends"),
            // Vertex 1 lists 2 and 3, vertex 3 does not list 1.
            ("3 2\n2 3\n1\n\n", 2, 3, "vertex 1 lists 3, weight 1, but 3 does not list 1 so"),
            ("2 1 1\n2 5\n1 6\n", 2, 1, "vertex 1 lists 2, weight 5, but 2 does not list 1 so"),
            ("2 3\n2\n1\n", 1, 3, "the header counts 3 edges, the file lists 1; expected 1"),
        ],
    );
}

#[test]
fn scotch() {
    check(
        "a.grf",
        &[
            ("", 1, 1, "the file is empty; expected 0"),
            ("1\n2 2\n", 1, 1, "the version of the format is `1`; expected 0"),
            ("0\n2", 2, 2, "the number of arcs (twice the edges) is missing"),
            ("0\n2 2\n2 000\n", 3, 1, "the number of the first vertex is `2`"),
            ("0\n2 2\n0", 3, 2, "the format is missing"),
            ("0\n2 2\n0 020\n", 3, 3, "the format is `020`"),
            ("0\n2 2\n0 000\n1 1\n", 5, 1, "the file ends after 1 of 2 vertices"),
            ("0\n2 2\n0 000\n1 2\n1 0\n", 4, 3, "neighbour is `2`; expected an integer from 0 to 1"),
            ("0\n2 2\n1 000\n1 0\n1 1\n", 4, 3, "neighbour is `0`; expected an integer from 1 to 2"),
            ("0\n2 2\n0 000\n1 0\n1 0\n", 4, 3, "vertex 0 lists itself"),
            ("0\n2 2\n0 000\n3 1 1 1\n", 4, 1, "leaves) is `3`; expected an integer from 0 to 2"),
            ("0\n2 2\n0 000\n1 1\n1 0\n7\n", 6, 1, "`7` follows the last vertex"),
            ("0\n2 4\n0 000\n1 1\n1 0\n", 2, 3, "the header counts 4 arcs, the file lists 2"),
            ("0\n2 2\n0 000\n1 1\n0\n", 4, 3, "vertex 0 lists 1, weight 1, but 1 does not list 0 so"),
            ("0\n2 2\n0 010\n1 -3 1\n", 4, 3, "edge load is `-3`"),
            ("0\n2 2\n0 001\ninf 1 1\n", 4, 1, "vertex load is `inf`"),
            ("0\n2 2\n0 100\n5 1 6\n5 1 6\n", 5, 1, "the label 5 is given twice"),
            ("0\n2 2\n0 100\n5 1 7\n6 1 5\n", 4, 5, "neighbour is `7`; expected the label of another"),
            ("0\n2 2\n0 100\n5 1 5\n6 1 5\n", 4, 5, "neighbour is `5`; expected the label of another"),
        ],
    );
}

#[test]
fn csv() {
    check(
        "a.phases.csv",
        &[
            ("", 1, 1, "the file is empty; expected the header `phase,source,target,bytes`"),
            ("phase,source\n", 1, 13, "expected the header"),
            (
                "1,0,1,5\n",
                2,
                1,
                "1 of 4 rows are there; expected as many rows as columns, or the header `phase,",
            ),
            ("phase;source;target;bytes\n", 1, 1, "expected the header"),
            ("phase,source,target,bytes,x\n", 1, 27, "`x` cannot stand here; expected the header"),
            ("phase,source,target,bytes x\n", 1, 27, "`x` cannot stand here; expected the header"),
            ("phase,source,target,bytes,repeats,x\n", 1, 34, "`,` is too much on this line"),
            ("phase,source,target,bytes,repeats\n1,0,1,5\n", 2, 8, "the line ends here; expected `,`"),
            ("phase,source,target,bytes,repeats\n1,0,1,5,0\n", 2, 9, "repeats is `0`"),
            (
                "phase,source,target,bytes,repeats\n1,0,1,5,2\n1,1,0,5,3\n",
                3,
                9,
                "phase 1 is repeated 3 times here, 2 times before; expected one number for each phase",
            ),
            ("phase,source,target,bytes\n", 2, 1, "the file holds no message"),
            ("phase,source,target,bytes\n1,0,1\n", 2, 6, "the line ends here; expected `,`"),
            ("phase,source,target,bytes\n1,0,1,\n", 2, 7, "bytes is missing"),
            ("phase,source,target,bytes\n1,,1,5\n", 2, 3, "source is `,`"),
            (
                "phase,source,target,bytes\n1,0,1,5,6\n",
                2,
                8,
                "`,` is too much on this line; expected four fields",
            ),
            ("phase,source,target,bytes\n4294967296,0,1,5\n", 2, 1, "phase is `4294967296`"),
            ("phase,source,target,bytes\n1,16777216,1,5\n", 2, 3, "an integer from 0 to 16777215"),
            ("phase,source,target,bytes\n1,0,1,1\n1,0,1,nan\n", 3, 7, "bytes is `nan`"),
            ("phase,source,target,bytes\n1,0,1,-5\n", 2, 7, "bytes is `-5`"),
            ("phase,source,target,bytes\n1,0,1,+5\n", 2, 7, "bytes is `+5`"),
            ("phase,source,target,bytes\n1,0,1,18446744073709551616\n", 2, 7, "from 0 to 1099511627776"),
            ("phase,source,target,bytes\n1,0 1,5\n", 2, 5, "`1` cannot stand here; expected `,`"),
        ],
    );
}

#[test]
fn goal() {
    check(
        "a.goal",
        &[
            ("", 1, 1, "the file is empty; expected `num_ranks`"),
            ("ranks 2\n", 1, 1, "`ranks` cannot stand here; expected `num_ranks`"),
            ("num_ranks\n", 1, 10, "the number of ranks is missing"),
            ("num_ranks 0\n", 1, 11, "the number of ranks is `0`"),
            ("num_ranks 16777217\n", 1, 11, "an integer from 1 to 16777216"),
            ("num_ranks 2\nrunk 0 {\n}\n", 2, 1, "expected `rank` or the end of the file"),
            ("num_ranks 2\nrank 2 {\n}\n", 2, 6, "rank is `2`; expected an integer from 0 to 1"),
            ("num_ranks 2\nrank 0\nl0: calc 1\n", 3, 1, "`l0` cannot stand here; expected `{`"),
            ("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n", 4, 6, "rank 0 is given twice"),
            ("num_ranks 1\nrank 0 {\ncalc 1\n", 4, 1, "the file ends within rank 0; expected `}`"),
            ("num_ranks 1\nrank 0 {\n/* calc 1 }\n", 3, 1, "a comment has no end"),
            ("num_ranks 1\nrank 0 {\nl: sned 5b to 0\n}\n", 3, 4, "`sned` is no step; expected `send`"),
            ("num_ranks 1\nrank 0 {\nsned 5b to 0\n}\n", 3, 1, "`sned` is no step"),
            ("num_ranks 1\nrank 0 {\n: calc 1\n}\n", 3, 1, "`:` cannot stand here"),
            ("num_ranks 1\nrank 0 {\nl:\n}\n", 3, 3, "the step is missing"),
            (
                "num_ranks 1\nrank 0 {\nsend 5 to 0\n}\n",
                3,
                6,
                "size is `5`; expected an integer with its unit",
            ),
            ("num_ranks 1\nrank 0 {\nsend -5b to 0\n}\n", 3, 6, "size is `-5b`"),
            ("num_ranks 1\nrank 0 {\nsend 1099511627777b to 0\n}\n", 3, 6, "to 1099511627776b"),
            ("num_ranks 1\nrank 0 {\nsend 5b from 0\n}\n", 3, 9, "`from` cannot stand here; expected `to`"),
            ("num_ranks 1\nrank 0 {\nrecv 5b from 1\n}\n", 3, 14, "rank is `1`; expected 0"),
            ("num_ranks 1\nrank 0 {\nrecv 5b from\n}\n", 3, 13, "rank is missing"),
            ("num_ranks 1\nrank 0 {\nsend 5b to 0 tag x\n}\n", 3, 18, "tag is `x`"),
            ("num_ranks 1\nrank 0 {\nsend 5b to 0 tag 1 tag 2\n}\n", 3, 20, "`tag` cannot stand here"),
            ("num_ranks 1\nrank 0 {\ncalc 1 tag 2\n}\n", 3, 8, "`tag` cannot stand here"),
            ("num_ranks 1\nrank 0 {\ncalc nan\n}\n", 3, 6, "the time of a computation is `nan`"),
            ("num_ranks 1\nrank 0 {\ncalc 18446744073709551615\n}\n", 3, 6, "from 0 to 17592186044416"),
            ("num_ranks 1\nrank 0 {\ncalc 1 2\n}\n", 3, 8, "expected the end of the line or `}`"),
            ("num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\n}\n", 4, 1, "the label `a` is given twice"),
            ("num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}\n", 4, 12, "the step `a` requires itself"),
            ("num_ranks 1\nrank 0 {\na: calc 1\na requires\n}\n", 4, 11, "expected the label of a step"),
            ("num_ranks 1\nrank 0 {\na: calc 1\na requires b\n}\n", 4, 12, "no step has the label `b`"),
            ("num_ranks 1\nrank 0 {\na: calc 1\nb irequires a\n\n}\n", 4, 1, "no step has the label `b`"),
            (
                "num_ranks 2\nrank 0 {\nl: send 5b to 1\n}\n",
                3,
                4,
                "`send 5b to 1 tag 0` has no partner in rank 1",
            ),
            (
                "num_ranks 2\nrank 0 {\nrecv 5b from 1 tag 3\n}\n",
                3,
                1,
                "expected `send 5b to 0 tag 3` in rank 1",
            ),
            (
                "num_ranks 2\nrank 0 {\nsend 5b to 1\n}\nrank 1 {\n recv 6b from 0\n}\n",
                6,
                2,
                "this receives 6 bytes, but rank 0 sends 5; expected 5b",
            ),
        ],
    );
}

#[test]
fn late_complaints_show_the_line_when_the_file_can_be_read_again() {
    let directory = tempfile::tempdir().unwrap();
    for (file, text, excerpt, marked) in [
        ("a.graph", "3 2 % two\n2 3\n1\n\n", "2 3", "3"),
        ("a.grf", "0\n2 4 \n0 000\n1 1\n1 0\n", "2 4", "4"),
        (
            "a.goal",
            "num_ranks 2\nrank 0 {\n  l: send 5b to 1 // lost\n}\n",
            "  l: send 5b to 1 // lost",
            "send",
        ),
        ("b.goal", "num_ranks 1\nrank 0 {\nl: calc 1\n\tl requires m\n}\n", " l requires m", "m"),
    ] {
        let path = directory.path().join(file);
        std::fs::write(&path, text).unwrap();
        let Err(Error::Parse(error)) = task_file::read(&path) else { panic!("{file}") };
        assert_eq!(error.excerpt, excerpt, "{file}");
        assert_eq!(&error.excerpt[error.start..error.start + error.length], marked, "{file}");
    }
}

#[test]
fn excerpts_are_safe_for_a_terminal() {
    // An escape that would turn the terminal red, a byte that is no UTF-8, a change of reading direction.
    let error = fault("a.phases.csv", b"phase,source,target,bytes\n1,0,\x1b[31m\xff\xe2\x80\xae,5\n");
    assert_eq!(error.excerpt, "1,0,\\u{1b}[31m\u{fffd}\\u{202e},5");
    assert_eq!((error.line, error.column, error.start), (2, 5, 4));
    assert_eq!(&error.excerpt[error.start..error.start + error.length], "\\u{1b}[31m\u{fffd}\\u{202e}");
    assert!(!error.to_string().contains('\u{1b}'));
}

#[test]
fn columns_count_characters() {
    // The header of four words with one of three bytes and one character before the fault.
    let error = fault("a.phases.csv", "phase,source,target,bytes\n1,0,1,€\n".as_bytes());
    assert_eq!((error.line, error.column, error.start, error.length), (2, 7, 6, 3));
    let error = fault("a.goal", "num_ranks 1\nrank 0 {\n/* € */ calc x\n}\n".as_bytes());
    assert_eq!((error.line, error.column, error.start), (3, 14, 15));
}

#[test]
fn long_lines_are_shown_around_the_fault() {
    let mut text = "1000 999999\n".to_owned();
    text.push_str(&"2 ".repeat(5000));
    text.push_str("oops ");
    text.push_str(&"2 ".repeat(5000));
    let error = fault("a.graph", text.as_bytes());
    assert_eq!((error.line, error.column), (2, 10_001));
    assert_eq!(error.excerpt.len(), 160);
    assert_eq!(&error.excerpt[error.start..error.start + error.length], "oops");
}
