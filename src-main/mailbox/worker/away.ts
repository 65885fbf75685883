import { networkOf } from '../../platform/address.ts';
import type { KeptRequest } from '../../platform/mailbox-protocol.ts';
import { awayAnswer, crowdAnswer, goneAnswer, invalidAnswer, keptAnswer, tooLargeAnswer } from './answers.ts';
import { addressOfCopy } from './copy-answer.ts';
import { mailboxOf, type Env } from './env.ts';
import { keepableIn, type Keepable } from './kept-requests.ts';
import { decodeBase64url, tagsOf } from './keys.ts';
import type { Answered, Mode, Visit } from './mailbox.ts';
import { seal } from './seal.ts';
import type { Visitor } from './visitor.ts';

/** The mailbox's response to a visitor's request, and the state of the server. */
export interface AwayAnswer {
  readonly mode: Mode;
  /** Whether the Worker should try the server again. */
  readonly tries: boolean;
  /** The response; undefined if the server seems to be awake, or has never called the mailbox. */
  readonly response: Response | undefined;
}

/**
 * Responds to a request in place of the server, unless the server is awake. `failed`: whether the server has just
 * failed to respond to this request.
 * @throws if the mailbox itself fails
 */
export async function answerForServer(visitor: Visitor, failed: boolean, env: Env): Promise<AwayAnswer> {
  const keepable = keepableOf(visitor);
  const said: Answered = await mailboxOf(env).visit({
    failed,
    ...(visitor.readsOnly && { look: lookOf(visitor) }),
    ...(isKeepable(keepable) && { item: await itemOf(keepable, visitor, env) }),
  });
  const { mode, tries } = said;
  if (mode === 'unclaimed' || mode === 'awake') return { mode, tries, response: undefined };
  return { mode, tries, response: await responseTo(visitor, said, keepable) };
}

function responseTo(
  { request }: Visitor,
  { mode, copy, kept }: Answered,
  keepable: Keepable | string | undefined,
): Promise<Response> | Response {
  if (mode === 'off') return awayAnswer(request, mode);
  if (copy === 'gone') return goneAnswer(request);
  if (copy !== undefined) return new Response(copy.body, copy);
  if (keepable === tooLarge) return tooLargeAnswer(request);
  if (typeof keepable === 'string') return invalidAnswer(request, keepable);
  if (kept === 'kept') return keptAnswer(request);
  if (kept === 'crowd' || kept === 'full') return crowdAnswer(request);
  if (kept === 'elsewhere') return invalidAnswer(request, 'target is not a page of this server.');
  return awayAnswer(request, mode);
}

const tooLarge = 'The form is too large.';
const formType = /^application\/x-www-form-urlencoded *(;|$)/i;

/**
 * Returns the data to keep from a request, or a message if the request is invalid. Returns undefined for a request
 * that is never kept.
 */
function keepableOf({ request, form }: Visitor): Keepable | string | undefined {
  if (form === undefined) return undefined;
  if (form.bytes === undefined) return tooLarge;
  if (!formType.test(request.headers.get('content-type') ?? ''))
    return 'The body must be a form (application/x-www-form-urlencoded).';
  return keepableIn(form.kind, form.bytes);
}

const isKeepable = (keepable: Keepable | string | undefined): keepable is Keepable =>
  typeof keepable === 'object';

/**
 * Seals (encrypts) a request for storage, together with the visitor's network. Outside of the sealed part, sites and
 * networks are stored only as tags (see keys.ts), which are enough for limits and duplicate checks.
 */
async function itemOf({ request, site, targetHost }: Keepable, visitor: Visitor, env: Env) {
  const network = networkOf(visitor.request.headers.get('cf-connecting-ip') ?? '');
  const pairOf = request.kind === 'webmention' ? [`pair ${request.source} ${request.target}`] : [];
  const texts = [`site ${site}`, `network ${network ?? ''}`, ...pairOf];
  const [siteTag = '', networkTag = '', pair = null] = await tagsOf(env.CALL_KEY, texts);
  const kept: KeptRequest = { ...request, ...(network !== undefined && { visitor: network }) };
  const sealed = await seal(JSON.stringify(kept), decodeBase64url(env.SEALING_KEY));
  return { site: siteTag, network: networkTag, pair, targetHost, sealed } satisfies Visit['item'];
}

function lookOf({ request, url }: Visitor) {
  return {
    address: addressOfCopy(url),
    head: request.method === 'HEAD',
    ifNoneMatch: request.headers.get('if-none-match'),
  };
}
