// Begins when the page stands: first what is small, then, when it has been painted, what takes longer.
function explore() {
  const island = document.getElementById("island");
  if (!island) return;
  const data = JSON.parse(island.textContent);
  const machine = new Machine(data.machine);
  for (const job of data.jobs) {
    const section = document.getElementById("job-" + job.section);
    setTimeout(() => new Explorer(new Job(job, machine), section));
  }
}

function start() {
  document.documentElement.classList.add("scripted");
  prepareTables();
  preparePictures();
  requestAnimationFrame(() => setTimeout(explore));
}
