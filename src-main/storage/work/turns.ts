export interface HostTurnsOptions {
  /**
   * Starts a request. `token`: the queued token (see `add`), which identifies the request. The returned promise
   * resolves when the request has finished, and never rejects. Returns undefined if there is nothing to request. `more`:
   * takes the next token of the same host, which then belongs to this request.
   */
  readonly begin: (token: string, more: () => string | undefined) => Promise<void> | undefined;
  /**
   * Returns the site or visitor that caused a token's request, if it is a debtor, which means that it has already used
   * more than its share of time. Otherwise returns undefined.
   */
  readonly debtor: (token: string) => string | undefined;
  readonly limits: HostLimits;
}

export interface HostLimits {
  /** The maximum number of hosts to contact at once. */
  readonly all: number;
  /**
   * The maximum number of hosts of one site to contact at once. Without this limit, one domain with many hosts that
   * hang could use up all requests. Each host gets one request at a time.
   */
  readonly ofSite: number;
  /** The maximum number of simultaneous requests: `late` for all debtors together, `ofDebtor` for each debtor. */
  readonly late: number;
  readonly ofDebtor: number;
}

/**
 * The queue of tokens for one host. A queue that has tokens and no running request is in exactly one of the lists
 * `ready`, `parked` and `late`.
 */
interface Line {
  readonly host: string;
  readonly site: string;
  readonly tokens: Set<string>;
  /**
   * Walks through `tokens`. A walk from the beginning would pass the places of all tokens that were taken before, so that
   * taking the tokens of a long queue would take quadratic time.
   */
  walk: Iterator<string>;
  /** The first token, if it is known. */
  first: string | undefined;
  isBusy: boolean;
}

type Places = Map<string, Set<Line>>;

/**
 * Shares requests to other servers fairly among the sites and visitors that cause them. Hosts take turns, each with one
 * request at a time. A site that hangs, or a visitor who causes requests to such sites, becomes a debtor. Only
 * some of the simultaneous requests (`late`) may be for debtors; the rest are reserved for others. Starting a request
 * takes the same time however many requests are waiting.
 */
export class HostTurns {
  readonly #options: HostTurnsOptions;
  readonly #lines = new Map<string, Line>();
  /** The queues that can start. */
  readonly #ready = new Set<Line>();
  /** The queues that wait until their site has fewer running requests, by site. */
  readonly #parked: Places = new Map();
  /** The queues that wait until the limits for debtors allow another request, by debtor. */
  readonly #late: Places = new Map();
  /** The number of running requests: per site, per debtor, in total, and in total for debtors. */
  readonly #ofSite = new Map<string, number>();
  readonly #ofDebtor = new Map<string, number>();
  #busy = 0;
  #busyLate = 0;

  constructor(options: HostTurnsOptions) {
    this.#options = options;
  }

  /**
   * Queues a token for the next free request to a host, unless the token is already queued. `host` includes the port.
   */
  add(token: string, host: string, site: string): void {
    const line = this.#lines.get(host) ?? newLine(host, site);
    const isWaiting = line.isBusy || line.tokens.size > 0;
    this.#lines.set(host, line);
    line.tokens.add(token);
    if (!isWaiting) this.#ready.add(line);
  }

  /** Starts as many requests as the limits allow. */
  start(): void {
    this.#startReady();
    this.#startLate();
  }

  /** Returns whether tokens wait for a request to a host. */
  hasMore(host: string): boolean {
    return (this.#lines.get(host)?.tokens.size ?? 0) > 0;
  }

  #isSiteFull({ site }: Line): boolean {
    return (this.#ofSite.get(site) ?? 0) >= this.#options.limits.ofSite;
  }

  #ask(line: Line, owing?: string): void {
    const work = this.#options.begin(take(line) ?? '', () => take(line));
    if (work === undefined) {
      this.#release(line);
      return;
    }
    line.isBusy = true;
    this.#count(line, owing, 1);
    void work.finally(() => {
      line.isBusy = false;
      this.#count(line, owing, -1);
      this.#release(line);
      this.start();
    });
  }

  /**
   * Adds a queue to the end of `ready` if it has tokens; otherwise discards the queue. Then adds the next parked queue
   * of the same site to `ready`.
   */
  #release(line: Line): void {
    if (line.tokens.size > 0) this.#ready.add(line);
    else this.#lines.delete(line.host);
    const next = takeFirst(this.#parked, line.site);
    if (next) this.#ready.add(next);
  }

  #count({ site }: Line, owing: string | undefined, by: number): void {
    this.#busy += by;
    tally(this.#ofSite, site, by);
    if (owing === undefined) return;
    this.#busyLate += by;
    tally(this.#ofDebtor, owing, by);
  }

  #startReady(): void {
    const { debtor, limits } = this.#options;
    for (const line of this.#ready) {
      if (this.#busy >= limits.all) return;
      this.#ready.delete(line);
      const owing = debtor(firstOf(line) ?? '');
      if (this.#isSiteFull(line)) put(this.#parked, line.site, line);
      else if (owing !== undefined) put(this.#late, owing, line);
      else this.#ask(line);
    }
  }

  #startLate(): void {
    const { limits } = this.#options;
    for (const owing of this.#late.keys()) {
      if (this.#busy >= limits.all || this.#busyLate >= limits.late) return;
      // This loop skips only a few debtors: each skipped debtor has `ofDebtor` running requests, and all debtors
      // together have at most `late` running requests.
      if ((this.#ofDebtor.get(owing) ?? 0) >= limits.ofDebtor) continue;
      const line = takeFirst(this.#late, owing);
      const rest = this.#late.get(owing);
      this.#late.delete(owing);
      // Move the debtor to the end of the map. The loop then reaches the debtor again after all the others.
      if (rest) this.#late.set(owing, rest);
      if (line === undefined) continue;
      if (this.#isSiteFull(line)) put(this.#parked, line.site, line);
      else this.#ask(line, owing);
    }
  }
}

function put(places: Places, key: string, line: Line): void {
  const there = places.get(key);
  if (there) there.add(line);
  else places.set(key, new Set([line]));
}

function takeFirst(places: Places, key: string): Line | undefined {
  const there = places.get(key);
  const [line] = there ?? [];
  if (line) there?.delete(line);
  if (there?.size === 0) places.delete(key);
  return line;
}

function firstOf(line: Line): string | undefined {
  if (line.first !== undefined || line.tokens.size === 0) return line.first;
  let next = line.walk.next();
  // A walk that has ended doesn't go on when tokens are added.
  if (next.done === true) next = (line.walk = line.tokens.values()).next();
  return (line.first = next.done === true ? undefined : next.value);
}

function take(line: Line): string | undefined {
  const token = firstOf(line);
  if (token !== undefined) line.tokens.delete(token);
  line.first = undefined;
  return token;
}

function newLine(host: string, site: string): Line {
  const tokens = new Set<string>();
  return { host, site, tokens, walk: tokens.values(), first: undefined, isBusy: false };
}

function tally(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}
