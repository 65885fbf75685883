import { type Static, Type } from 'typebox';
import { type ErrorCode, PorchlightError } from '../../contract/error.ts';
import type { cloudflarePermissions } from '../../contract/reach.ts';
import { plainLine } from '../../platform/plain-line.ts';

/** The parts of Cloudflare's responses that Porchlight uses. Other properties are ignored. */

const Id = Type.String({ pattern: '^[0-9a-f]{32}$' });
const Uuid = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' });
const Name = Type.String({ maxLength: 1000 });

export const VerifiedToken = Type.Object({ status: Type.String() });

export const ApiAccount = Type.Object({ id: Id, name: Name });
export type ApiAccount = Static<typeof ApiAccount>;

export const ApiZone = Type.Object({
  id: Id,
  name: Name,
  /** The zone's status. A zone works only while its status is `active`. */
  status: Type.Optional(Type.String()),
  account: Type.Object({ id: Id, name: Type.Optional(Name) }),
});
export type ApiZone = Static<typeof ApiZone>;

export const ApiTunnel = Type.Object({
  id: Uuid,
  name: Name,
  /** The time of deletion. Cloudflare also returns deleted tunnels. */
  deleted_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export type ApiTunnel = Static<typeof ApiTunnel>;

/** The token that cloudflared needs to run a tunnel. */
export const RunToken = Type.String({ minLength: 1, maxLength: 10_000, pattern: '^[\\x21-\\x7e]+$' });

export const ApiRecord = Type.Object({
  id: Id,
  type: Type.String(),
  name: Name,
  content: Type.Optional(Type.String()),
});
export type ApiRecord = Static<typeof ApiRecord>;

export const ApiScript = Type.Object({
  id: Name,
  /** The tag of the last migration that was applied to the Worker's Durable Objects. */
  migration_tag: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export type ApiScript = Static<typeof ApiScript>;

export const ApiRoute = Type.Object({
  id: Id,
  pattern: Name,
  script: Type.Optional(Type.Union([Name, Type.Null()])),
});
export type ApiRoute = Static<typeof ApiRoute>;

/** The names of the permissions that the owner's Cloudflare API token needs. */
export type CloudflarePermission = (typeof cloudflarePermissions)[number]['name'];

/** An error response from Cloudflare's API: its HTTP status, and the error codes and messages in its body. */
export interface CloudflareRefusal {
  readonly status: number;
  readonly errors: readonly { readonly code: number; readonly message: string }[];
}

/** A request that failed at Cloudflare. The message says what the owner can do, and never contains the token. */
export class CloudflareError extends PorchlightError {
  override readonly name = 'CloudflareError';
  /** The error codes in Cloudflare's response. */
  readonly apiCodes: readonly number[];
  /** Whether Cloudflare reported that the requested object doesn't exist. */
  readonly isMissing: boolean;
  /** The permission that the token may lack; null if the error has another cause. */
  readonly permission: CloudflarePermission | null;

  constructor(
    code: ErrorCode,
    message: string,
    {
      refusal,
      permission = null,
      cause,
    }: { refusal?: CloudflareRefusal; permission?: CloudflarePermission | null; cause?: unknown } = {},
  ) {
    super(code, message, 502, { cause });
    this.permission = permission;
    this.apiCodes = refusal?.errors.map((one) => one.code) ?? [];
    this.isMissing = refusal?.status === 404 || this.apiCodes.some((one) => one === noWorker);
  }
}

/**
 * The Cloudflare error code for a tunnel name that is already in use. The error codes in this file come from the API
 * reference and from Cloudflare's own tools.
 */
export const tunnelNameTaken = 1013;
/** The Cloudflare error code for a new route whose Worker doesn't exist, or that Cloudflare can't find yet. */
export const routeWithoutWorker = 10019;
const noWorker = 10007;
/** The Cloudflare error codes for a malformed or invalid token. */
const badToken = [1000, 1001, 6003, 6111, 9103, 9106, 9107];
const notAllowed = [10000, 9109];
const nameTaken = [81053, 81054, 81055, 81056, 81057, 81058, 10020];
/** The Cloudflare error codes for too many DNS records and for too many Workers. */
const limitCodes = [81045, 10037];
const tooOften = [971, 10429];
const emailNotVerified = 10034;
const workersNotOpened = 10063;

const longestQuote = 300;

/**
 * Returns the error for a request that Cloudflare refused, with a message for the owner. `doing`: the refused action,
 * such as "create the tunnel". `permission`: the permission that the token needs for the action.
 */
export function refusedBy(
  refusal: CloudflareRefusal,
  { doing, permission, token }: { doing: string; permission: CloudflarePermission | null; token: string },
): CloudflareError {
  const codes = refusal.errors.map(({ code }) => code);
  const has = (...some: readonly number[]) => codes.some((code) => some.includes(code));
  const fail = (code: ErrorCode, message: string) => new CloudflareError(code, message, { refusal });
  const quote = quoted(refusal, token);
  if (has(emailNotVerified))
    return fail(
      'cloudflare_failed',
      'Your Cloudflare account’s email address isn’t verified. Open the message that Cloudflare sent you, follow its link, and try again.',
    );
  if (has(workersNotOpened))
    return fail(
      'cloudflare_failed',
      'This Cloudflare account has never used Workers. Open “Workers & Pages” once in Cloudflare’s dashboard, and try again.',
    );
  if (has(...nameTaken))
    return fail(
      'cloudflare_name_taken',
      `This name is already used at Cloudflare, so Porchlight didn’t change it. Choose another name, or remove the old entry in Cloudflare’s dashboard. ${quote}`,
    );
  if (refusal.status === 429 || has(...tooOften))
    return fail(
      'cloudflare_failed',
      'Cloudflare accepts only a limited number of requests. Wait five minutes, and try again.',
    );
  if (refusal.status >= 500)
    return fail(
      'cloudflare_failed',
      `Cloudflare can’t ${doing} at the moment (status ${refusal.status}). Try again in a few minutes. www.cloudflarestatus.com says whether Cloudflare has a problem.`,
    );
  const limited = fail(
    'cloudflare_limit',
    `Your Cloudflare plan doesn’t allow more of this. Remove something that you no longer need at Cloudflare, and try again. ${quote}`,
  );
  if (has(...limitCodes)) return limited;
  if (refusal.status === 401 || has(...badToken) || /\binvalid (?:access|api) token\b/i.test(quote))
    return fail(
      'cloudflare_token',
      'Cloudflare doesn’t accept this API token. It may be incomplete, expired or deleted. Create a new one under “My Profile”, “API Tokens”, and paste all of it.',
    );
  if (refusal.status === 403 || has(...notAllowed)) {
    const lack = permission === null ? '' : `lacks the permission “${permission}”, or `;
    return new CloudflareError(
      'cloudflare_token',
      `The API token isn’t allowed to ${doing}. It ${lack}doesn’t include this account or domain. Change the token at Cloudflare, or create a new one.`,
      { refusal, permission },
    );
  }
  if (isLimit(quote)) return limited;
  return fail('cloudflare_failed', `Cloudflare refused to ${doing}. ${quote}`);
}

/**
 * Returns whether an error message reports that a limit was reached. Checks the text, because Cloudflare doesn't
 * document the codes of all limits.
 */
const isLimit = (words: string) => /\b(?:limit|quota|maximum number|exceeded)\b/i.test(words);

/** Returns the error message from Cloudflare's response, without the token, to quote in a message for the owner. */
function quoted({ status, errors }: CloudflareRefusal, token: string): string {
  const [first] = errors;
  if (first === undefined) return `(Status ${status}.)`;
  const words = plainLine(first.message).replaceAll(token, '[token]').slice(0, longestQuote).trim();
  return `Cloudflare says: “${words}” (code ${first.code}).`;
}
