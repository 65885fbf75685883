export interface HostTurnsOptions {
  /** Begins what a token names; resolves when that is over and never rejects. Undefined where there is nothing to do. */
  readonly begin: (token: string, site: string) => Promise<void> | undefined;
  /** Names who has caused more waiting than their share, of those behind this token. Nobody is late where absent. */
  readonly debtor?: (token: string, site: string) => string | undefined;
  readonly limits?: Partial<HostLimits>;
}

export interface HostLimits {
  /** How many hosts are asked at once. */
  readonly all: number;
  /** How many of one site: any name under one domain may hang. Of one host, one at a time. */
  readonly ofSite: number;
  /** How many of those in debt, all together and of one of them. */
  readonly late: number;
  readonly ofDebtor: number;
}

/**
 * Shares what is asked of other servers among those behind it. Hosts take turns, each one request at a time. Whoever
 * keeps others waiting (a site that hangs, a visitor who sends such sites) has only the few late places, where debtors
 * take turns, so that a place for anybody else is free at once. Each step costs the same, however much waits.
 */
export interface HostTurns {
  /** Has a token wait for its turn, where it does not do so yet. `host`: with its port. */
  add(token: string, host: string, site: string): void;
  /** Begins what may begin. */
  start(): void;
}

/** Each place costs a socket, and up to 2 MB for what was received. */
const defaultLimits: HostLimits = { all: 64, ofSite: 4, late: 16, ofDebtor: 4 };

/** What waits for one host. While it waits and is not being asked, it is in exactly one place: see Places. */
interface Line {
  readonly host: string;
  readonly site: string;
  readonly tokens: Set<string>;
  isBusy: boolean;
}

type Places = Map<string, Set<Line>>;

/** Creates the turns, with nothing waiting. */
export function createHostTurns(options: HostTurnsOptions): HostTurns {
  const { begin, debtor } = options;
  const limits: HostLimits = { ...defaultLimits, ...options.limits };
  const lines = new Map<string, Line>();
  /** Lines that wait for their turn; for another one of their site to end; and for a late place, by debtor. */
  const ready = new Set<Line>();
  const parked: Places = new Map();
  const late: Places = new Map();
  /** How many are being asked: of each site, of each debtor, and in all. */
  const ofSite = new Map<string, number>();
  const ofDebtor = new Map<string, number>();
  let busy = 0;
  let busyLate = 0;

  const isSiteFull = ({ site }: Line) => (ofSite.get(site) ?? 0) >= limits.ofSite;

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

  function ask(line: Line, owing?: string): void {
    const [token = ''] = line.tokens;
    line.tokens.delete(token);
    const work = begin(token, line.site);
    if (work === undefined) {
      release(line);
      return;
    }
    line.isBusy = true;
    count(line, owing, 1);
    void work.finally(() => {
      line.isBusy = false;
      count(line, owing, -1);
      release(line);
      start();
    });
  }

  /** A line with more goes behind the others; another one of its site may have the place. */
  function release(line: Line): void {
    if (line.tokens.size > 0) ready.add(line);
    else lines.delete(line.host);
    const next = takeFirst(parked, line.site);
    if (next) ready.add(next);
  }

  function count({ site }: Line, owing: string | undefined, by: number): void {
    busy += by;
    tally(ofSite, site, by);
    if (owing === undefined) return;
    busyLate += by;
    tally(ofDebtor, owing, by);
  }

  function startReady(): void {
    for (const line of ready) {
      if (busy >= limits.all) return;
      ready.delete(line);
      const owing = debtor?.(firstOf(line.tokens) ?? '', line.site);
      if (isSiteFull(line)) put(parked, line.site, line);
      else if (owing !== undefined) put(late, owing, line);
      else ask(line);
    }
  }

  function startLate(): void {
    for (const owing of late.keys()) {
      if (busy >= limits.all || busyLate >= limits.late) return;
      // At most all late places are taken by debtors who have their share.
      if ((ofDebtor.get(owing) ?? 0) >= limits.ofDebtor) continue;
      const line = takeFirst(late, owing);
      const rest = late.get(owing);
      late.delete(owing);
      // Behind the other debtors: it is looked at again in this round, until it has its share.
      if (rest) late.set(owing, rest);
      if (line === undefined) continue;
      if (isSiteFull(line)) put(parked, line.site, line);
      else ask(line, owing);
    }
  }

  function start(): void {
    startReady();
    startLate();
  }

  return {
    add(token, host, site) {
      const line = lines.get(host) ?? { host, site, tokens: new Set(), isBusy: false };
      const isWaiting = line.isBusy || line.tokens.size > 0;
      lines.set(host, line);
      line.tokens.add(token);
      if (!isWaiting) ready.add(line);
    },
    start,
  };
}

function tally(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}

const firstOf = <T>(set: ReadonlySet<T>): T | undefined => set.values().next().value;
