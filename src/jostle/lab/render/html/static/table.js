// A click on the title of a column sorts its table: ascending, then descending.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    heads.forEach(each => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows], value = row => row.cells[column].dataset.value;
    const numeric = rows.every(row => value(row) === "" || !Number.isNaN(Number(value(row))));
    rows.sort((a, b) => {
      const [p, q] = [value(a), value(b)];
      if (p === "" || q === "") return (p === "") - (q === "");  // what is not known comes last
      return (up ? 1 : -1) * (numeric ? p - q : p.localeCompare(q));
    });
    table.tBodies[0].append(...rows);
  }));
}
