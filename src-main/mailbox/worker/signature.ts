import {
  mailboxPath,
  mailboxVersion,
  signatureHeader,
  signedText,
  type CallName,
  type CallRefusal,
  type SignedCall,
} from '../../platform/mailbox-protocol.ts';
import { isMac } from './keys.ts';

/** The format of the signature header: `<version>.<server>.<number>.<sha256>.<HMAC>` */
const shape = /^(\d{1,9})\.([\w-]{1,64})\.(\d{1,16})\.([0-9a-f]{64})\.([\w-]{43})$/;

const names: Record<CallName, true> = {
  ...{ state: true, awake: true, away: true, claim: true, wipe: true },
  ...{ copies: true, store: true, remove: true, items: true, done: true },
};

/** The calls that are also accepted from a server of another version: see MailboxCalls. */
const lasting: readonly string[] = [
  'state',
  'awake',
  'away',
  'copies',
  'remove',
  'items',
  'done',
] satisfies CallName[];

/** A call with a well-formed signature that has not been verified yet. The call's name comes from the path. */
export interface ClaimedCall extends SignedCall {
  readonly version: number;
  readonly mac: string;
}

/**
 * Reads the name and the signature of a call, without verifying the signature. Returns undefined if the signature is
 * malformed.
 */
export function claimedCall(request: Request): ClaimedCall | undefined {
  const parts = shape.exec(request.headers.get(signatureHeader) ?? '');
  const name = new URL(request.url).pathname.slice(mailboxPath.length + 1);
  if (parts === null) return undefined;
  const [, version, server = '', number, sha256 = '', mac = ''] = parts;
  return { name, server, number: Number(number), sha256, mac, version: Number(version) };
}

/** Checks a call before its body is read. Returns the reason to refuse the call, or undefined if it is acceptable. */
export async function callRefusal(call: ClaimedCall | undefined, callKey: string) {
  if (call === undefined || !Number.isSafeInteger(call.number)) return refusals.forged;
  if (!(await isMac(callKey, signedText(call, call.version), call.mac))) return refusals.forged;
  if (call.version !== mailboxVersion && !lasting.includes(call.name)) return refusals.otherVersion;
  return isCallName(call.name) ? undefined : refusals.invalid;
}

export function isCallName(name: string): name is CallName {
  return Object.hasOwn(names, name);
}

/** The reasons for refusing a call, with their statuses. */
export const refusals = {
  forged: { status: 401, error: 'forged' },
  replayed: { status: 409, error: 'replayed' },
  otherServer: { status: 409, error: 'other_server' },
  otherVersion: { status: 409, error: 'other_version' },
  invalid: { status: 400, error: 'invalid' },
  tooLarge: { status: 413, error: 'too_large' },
  full: { status: 507, error: 'full' },
  overLimit: { status: 503, error: 'over_limit' },
} as const satisfies Record<string, Refused>;

export interface Refused extends CallRefusal {
  readonly status: number;
}

/** Returns the JSON response to a call. No cache may store it. */
export function callAnswer(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } });
}

export function refusalAnswer({ status, ...body }: Refused): Response {
  return callAnswer(status, body);
}
