//! Measured tables: one file for each shape.

use std::path::Path;

use meshwright_core::error::{Error, Result};

use super::law::Law;

/// A measured time.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// What was done, such as allreduce.
    pub(crate) collective: String,
    /// How, by the name of the file.
    pub(crate) algorithm: String,
    /// Its formula, if there is one.
    pub(crate) law: Option<Law>,
    /// Bytes of the whole vector.
    pub(crate) bytes: f64,
    /// The median in microseconds.
    pub(crate) measured: f64,
}

/// The times of one shape.
pub(crate) struct Table {
    /// The shape, as the file is called.
    pub(crate) name: String,
    /// Its sides.
    pub(crate) shape: Vec<u32>,
    /// In the order of the file.
    pub(crate) rows: Vec<Row>,
}

/// The shape whose rows the constants are fitted to.
pub(crate) const FITTED_SHAPE: &str = "64x64";

/// Every `SHAPE.csv` of a folder, the one that is fitted first, the others by name.
pub(crate) fn tables(folder: &Path) -> Result<Vec<Table>> {
    let refused = |source| Error::Io { path: folder.to_path_buf(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        if path.extension().is_some_and(|ending| ending == "csv") {
            paths.push(path);
        }
    }
    let mut tables = paths.iter().map(|path| table(path)).collect::<Result<Vec<_>>>()?;
    tables.sort_by_key(|table| (table.name != FITTED_SHAPE, table.shape.len(), table.shape.clone()));
    if tables.first().is_none_or(|table| table.name != FITTED_SHAPE) {
        return Err(Error::value("tables of Fugaku", folder.display(), "a folder with 64x64.csv"));
    }
    Ok(tables)
}

fn table(path: &Path) -> Result<Table> {
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let sides: Option<Vec<u32>> = name.split('x').map(|side| side.parse().ok()).collect();
    let shape = sides.ok_or_else(|| Error::value("name of a table", &name, "a shape such as 8x8x8"))?;
    let text =
        std::fs::read_to_string(path).map_err(|source| Error::Io { path: path.to_path_buf(), source })?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let mut columns = [0; 4];
    for (column, wanted) in columns.iter_mut().zip(["collective", "algorithm", "bytes", "median_us"]) {
        let found = head.iter().position(|name| *name == wanted);
        *column = found
            .ok_or_else(|| Error::value("head of a table", head.join(","), format!("a column {wanted}")))?;
    }
    let rows = lines.filter(|line| !line.is_empty()).map(|line| row(line, columns)).collect::<Result<_>>()?;
    Ok(Table { name, shape, rows })
}

fn row(line: &str, columns: [usize; 4]) -> Result<Row> {
    let cells: Vec<&str> = line.split(',').collect();
    let cell = |column: usize| cells.get(columns[column]).copied();
    let number =
        |column: usize| cell(column)?.parse().ok().filter(|&number: &f64| number > 0.0 && number.is_finite());
    let (Some(collective), Some(algorithm), Some(bytes), Some(measured)) =
        (cell(0), cell(1), number(2), number(3))
    else {
        return Err(Error::value(
            "a row of a table",
            line,
            "collective, algorithm, and bytes and median_us above 0",
        ));
    };
    let (collective, algorithm) = (collective.to_string(), algorithm.to_string());
    let law = Law::of(&collective, &algorithm);
    Ok(Row { collective, algorithm, law, bytes, measured })
}
