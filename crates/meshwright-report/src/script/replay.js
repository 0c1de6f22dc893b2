// The slider that goes through a run: cycle by cycle where it is known when messages arrive, else phase by phase.
const MOMENTS = 400;

Object.assign(Explorer.prototype, {
  replay() {
    this.slider = make("input", { type: "range", min: 0, value: 0, "aria-label": "Moment of the run", input: () => this.goTo(Number(this.slider.value)) });
    this.when = make("output", {});
    this.player = button("Play", "Play the run", () => (this.timer ? this.stop() : this.play()));
    const next = (way) => () => this.goTo(this.phaseStep(way));
    const buttons = [this.player, button("\u2039", "Previous phase", next(-1)), button("\u203a", "Next phase", next(1))];
    return make("p", { class: "replay" }, ...buttons, this.slider, this.when);
  },

  /** Back to the whole run, for the plans that are shown. */
  rewind() {
    if (!this.slider) return;
    this.stop();
    this.byTime = this.plans.every((plan) => plan.arrival);
    this.length = Math.max(...this.plans.map((plan) => plan.length));
    const last = this.byTime ? MOMENTS : this.plans.every((plan) => plan.knowsRoutes) ? this.job.phases.length : 0;
    this.slider.max = last;
    this.slider.closest("p").hidden = last < 1 || this.length === 0;
    this.plans.forEach((plan) => (plan.shownAt = -1));
    this.goTo(0);
  },

  /** The cycle of a moment; the first moment after the whole run is the beginning. */
  cycle(moment) {
    return Math.floor(((moment - 1) / MOMENTS) * this.length);
  },

  /** The phase of a moment under the first plan, from 0. */
  phaseAt(moment) {
    return this.byTime ? this.plans[0].moment(this.cycle(moment)).phase : moment - 1;
  },

  /** The first moment of the next phase or of the one before. */
  phaseStep(way) {
    if (!this.byTime || this.moment === 0) return way > 0 && this.moment === 0 ? 1 : this.moment + way;
    const phase = this.phaseAt(this.moment) + way;
    if (phase < 0) return 0;
    for (let moment = 1; moment <= MOMENTS; moment++) if (this.phaseAt(moment) >= phase) return moment;
    return MOMENTS;
  },

  movingIn(plan) {
    const cycle = this.cycle(this.moment);
    if (cycle >= plan.length) return { busy: new Float64Array(this.machine.links), moving: 0, waiting: 0, ended: true };
    return plan.moving(cycle);
  },

  goTo(moment) {
    this.moment = Math.max(0, Math.min(Number(this.slider.max), moment));
    this.slider.value = this.moment;
    const words = this.moment === 0 ? "Whole run" : this.byTime ? this.wordsOfMoment() : this.wordsOfPhase();
    this.when.textContent = words;
    this.slider.setAttribute("aria-valuetext", words);
    this.tell();
    this.draw();
  },

  wordsOfPhase() {
    const [number, messages] = this.job.phases[this.moment - 1];
    const values = this.values(this.plans[0]);
    const most = values.reduce((a, b) => Math.max(a, b), 0);
    const used = values.reduce((count, value) => count + (value > 0 ? 1 : 0), 0);
    return `Phase ${grouped(number)}: ${counted(messages, "message")} over ${counted(used, "link")}, at most ${counted(most, "cycle")} on one`;
  },

  wordsOfMoment() {
    const phase = this.job.phases[this.phaseAt(this.moment)][0];
    const parts = this.plans.map((plan) => {
      const { moving, waiting, ended } = this.movingIn(plan);
      const words = ended ? "at its end" : `${counted(moving, "message")} moving, ${grouped(waiting)} waiting`;
      return this.plans.length > 1 ? `${plan.name} ${words}` : words;
    });
    return `Cycle ${grouped(this.cycle(this.moment))} of ${grouped(this.length)}, phase ${grouped(phase)}: ${parts.join("; ")}`;
  },

  play() {
    this.player.textContent = "Stop";
    if (this.moment >= Number(this.slider.max)) this.goTo(0);
    const pause = this.byTime ? 40 : 900;
    this.timer = setInterval(() => {
      if (this.moment >= Number(this.slider.max)) this.stop();
      else this.goTo(this.moment + 1);
    }, pause);
  },

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.player.textContent = "Play";
  },
});
