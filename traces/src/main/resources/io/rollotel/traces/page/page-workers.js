// How processes are called: in full, and where there is little room.

/** An instance without the domain of its host, which most have in common. */
const withoutDomain = (instance) => instance.replace(/^((?=[^.]*[a-z])[\w-]+)(?:\.[\w-]+)+(?=:\d+$)/i, '$1');

class WorkerNames {
  constructor(listed) {
    this.listed = listed;
    this.others = new Map();
  }

  /** Adds a process that the report does not list. */
  add(number, process) {
    if (!this.process(number)) this.others.set(number, process);
    this.alike = null;
  }

  process(number) {
    return this.listed[number] || this.others.get(number);
  }

  /** The instance, without its domain unless another process would look the same. */
  shortInstance(number) {
    const { service, instance } = this.process(number);
    const short = withoutDomain(instance);
    if (!this.alike) {
      this.alike = new Map();
      for (const one of [...this.listed, ...this.others.values()]) {
        const key = one.service + ' ' + withoutDomain(one.instance);
        this.alike.set(key, (this.alike.get(key) || 0) + 1);
      }
    }
    return this.alike.get(service + ' ' + short) > 1 ? instance : short;
  }

  full(number) {
    const worker = this.process(number);
    return worker ? this.label(number, worker.instance) : this.unlisted(number);
  }

  /** In a sentence: without the domain of the host. */
  inWords(number) {
    return this.process(number) ? this.label(number, this.shortInstance(number)) : this.unlisted(number);
  }

  /** Of what has a rank, the service and that. */
  short(number) {
    const worker = this.process(number);
    return worker && worker.rank !== '' ? (worker.service || '(unnamed)') + ' · rank ' + worker.rank : this.inWords(number);
  }

  label(number, instance) {
    const { service, rank } = this.process(number);
    const label = (service + ' ' + instance).trim() || '(unnamed process)';
    return rank === '' ? label : label + ' · rank ' + rank;
  }

  unlisted(number) {
    return number < 0 ? '(not in these files)' : 'process ' + (number + 1);
  }
}
