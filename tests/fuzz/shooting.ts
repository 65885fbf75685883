import { judgeOutcome, type Finding, type Outcome, type Secret } from './oracles.ts';
import type { FuzzRequest } from './request.ts';
import { send } from './wire.ts';

/** Where requests go. */
export interface Ports {
  readonly public: number;
  readonly console: number;
}

/** What was sent and what came of it. */
export interface Tally {
  sent: number;
  readonly generators: Map<string, number>;
  readonly routes: Map<string, number>;
  /** By status; `closed` where the server hung up or said nothing. */
  readonly statuses: Map<string, number>;
  /** The slowest answers, slowest first. */
  slowest: { ms: number; request: FuzzRequest }[];
  readonly findings: Finding[];
}

export interface Shooting {
  readonly requests: Iterable<FuzzRequest>;
  readonly ports: Ports;
  readonly secrets: readonly Secret[];
  readonly connections: number;
  /** Ends the run early. */
  readonly over: AbortSignal;
}

const slowestKept = 10;
/** More findings say nothing new. */
const mostFindings = 100;

export function emptyTally(): Tally {
  return {
    sent: 0,
    generators: new Map(),
    routes: new Map(),
    statuses: new Map(),
    slowest: [],
    findings: [],
  };
}

/** Sends requests over so many connections at once and judges each answer. Fills `tally` meanwhile. */
export async function shoot(
  { requests, ports, secrets, connections, over }: Shooting,
  tally: Tally,
): Promise<void> {
  const next = requests[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    while (!over.aborted && tally.findings.length < mostFindings) {
      const turn = next.next();
      if (turn.done === true) return;
      const request = turn.value;
      const outcome = await send(request, ports[request.listener]);
      count(tally, request, outcome);
      tally.findings.push(...judgeOutcome(request, outcome, secrets));
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
}

function count(tally: Tally, request: FuzzRequest, { statuses, ms }: Outcome): void {
  const add = (to: Map<string, number>, name: string) => to.set(name, (to.get(name) ?? 0) + 1);
  tally.sent += 1;
  add(tally.generators, request.generator);
  add(tally.routes, request.listener === 'console' ? 'the owner’s listener' : request.route);
  if (statuses.length === 0) add(tally.statuses, 'closed');
  for (const status of statuses) add(tally.statuses, String(status));
  if (statuses.length === 0 || ms <= (tally.slowest.at(slowestKept - 1)?.ms ?? 0)) return;
  tally.slowest = [...tally.slowest, { ms, request }].sort((a, b) => b.ms - a.ms).slice(0, slowestKept);
}
