import { networkOf } from '../../platform/address.ts';
import {
  bridgedPaths,
  type bindings,
  type KeptRequest,
  mostCallBytes,
} from '../../platform/mailbox-protocol.ts';
import { awayAnswer, invalidAnswer, mailboxAnswer } from './answers.ts';
import { addressOfCopy } from './copies.ts';
import { type Keepable, keepableIn, readVisitor, type Visitor } from './visitor.ts';
import {
  callAnswer,
  callRefusal,
  claimedCall,
  decodeBase64url,
  refusalAnswer,
  refusals,
  seal,
  tagsOf,
} from './signature.ts';
import type { Answered, Mailbox, Mode, Visit } from './mailbox.ts';
import { askServer, pingServer } from './server.ts';

/** The values that Cloudflare binds to the Worker, under the names in `bindings`. */
export type Env = Record<typeof bindings.mailbox, DurableObjectNamespace<Mailbox>> &
  Record<typeof bindings.proofKey | typeof bindings.callKey | typeof bindings.sealingKey, string>;

/** Returns the mailbox's only Durable Object. */
function mailboxOf(env: Env): DurableObjectStub<Mailbox> {
  return env.MAILBOX.get(env.MAILBOX.idFromName('mailbox'));
}

function responseTo(
  { request }: Visitor,
  { mode, copy, kept }: Answered,
  keepable: Keepable | string | undefined,
): Promise<Response> | Response {
  if (mode === 'off') return awayAnswer(request, mode);
  if (copy === 'gone') return mailboxAnswer(request, 'gone');
  if (copy !== undefined) return new Response(copy.body, copy);
  if (keepable === tooLarge) return mailboxAnswer(request, 'tooLarge');
  if (typeof keepable === 'string') return invalidAnswer(request, keepable);
  if (kept === 'kept') return mailboxAnswer(request, 'kept');
  if (kept === 'crowd' || kept === 'full') return mailboxAnswer(request, 'crowd');
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

function copyRequestOf({ request, url }: Visitor) {
  const isBridged = bridgedPaths.includes(url.pathname);
  return {
    address: isBridged ? url.pathname : addressOfCopy(url),
    ...(isBridged && { query: url.search }),
    head: request.method === 'HEAD',
    ifNoneMatch: request.headers.get('if-none-match'),
  };
}

/** How long this instance of the Worker waits before it asks the mailbox for the server's state again, in ms. */
const askEvery = 10_000;

/**
 * The server's state, as far as this instance of the Worker knows. There are many instances, and only the mailbox has
 * the actual state.
 */
const belief = { isAway: false, askedAt: -Infinity, answeredAt: -Infinity };

/**
 * Forwards a visitor's request to the server. If the server is away, the mailbox responds. If the mailbox fails too,
 * the visitor gets the server's failed response, or an error message if there is none.
 */
export async function answerVisitor(
  request: Request,
  env: Env,
  context: ExecutionContext,
): Promise<Response> {
  const visitor = await readVisitor(request);
  if (visitor === undefined) return mailboxAnswer(request, 'tooLarge');
  const answer = belief.isAway ? await fromMailbox(visitor, false, env, context) : undefined;
  return answer ?? pass(visitor, env, context);
}

async function pass(visitor: Visitor, env: Env, context: ExecutionContext): Promise<Response> {
  const asked = askMailbox(visitor, env);
  // A request that may change something can't be taken back once it is sent, so wait for the mailbox's response before
  // sending the request.
  if (!visitor.readsOnly && isAway(await asked)) {
    const answer = await fromMailbox(visitor, false, env, context);
    if (answer !== undefined) return answer;
  }
  const attempt = askServer(visitor, env.PROOF_KEY);
  if (visitor.readsOnly && (await isAwayFirst(attempt.answer, asked))) {
    const answer = await fromMailbox(visitor, false, env, context);
    if (answer !== undefined) {
      attempt.giveUp();
      return answer;
    }
  }
  const answer = await attempt.answer;
  if (answer?.isProved === true) {
    context.waitUntil(asked.then((mode) => rememberProof(mode, env)));
    return answer.response;
  }
  if (answer !== undefined && mayBeCarriedOut(visitor, answer.response)) return answer.response;
  if (await attempt.isThere()) return answer?.response ?? mailboxAnswer(visitor.request, 'late');
  const instead = await fromMailbox(visitor, true, env, context);
  if (instead === undefined) return answer?.response ?? awayAnswer(visitor.request, 'silent');
  await answer?.response.body?.cancel();
  return instead;
}

/**
 * Returns whether the server may have carried out a request even though its response contains no valid proof. This
 * happens while Cloudflare distributes new keys, because a Worker without the new keys rejects the server's proofs. An
 * app that got an error instead of the response would repeat its request. It would then post twice, or lose its sign-in
 * by using a refresh token twice. Forms that the mailbox keeps are an exception, because they take effect only once.
 */
function mayBeCarriedOut({ readsOnly, form }: Visitor, { status }: Response): boolean {
  return !readsOnly && form === undefined && status < 400;
}

/**
 * Resolves to true if the mailbox reports that the server is away, and this report arrives before the server's
 * response.
 */
function isAwayFirst(answer: Promise<unknown>, asked: Promise<Mode | undefined>): Promise<boolean> {
  return Promise.race([
    answer.then(() => false),
    asked.then((mode) => isAway(mode) || answer.then(() => false)),
  ]);
}

/**
 * Asks the mailbox for the server's state. Returns undefined if that fails, or if the mailbox was asked recently. For a
 * request that may change something, asks again if the mailbox has not answered yet. Never rejects.
 */
async function askMailbox({ readsOnly }: Visitor, env: Env): Promise<Mode | undefined> {
  const lastAsked = readsOnly ? belief.askedAt : belief.answeredAt;
  if (Date.now() - lastAsked < askEvery) return undefined;
  belief.askedAt = Date.now();
  try {
    const mode = await mailboxOf(env).mode();
    belief.isAway = isAway(mode);
    return mode;
  } catch {
    return undefined;
  } finally {
    belief.answeredAt = Date.now();
  }
}

/**
 * If the server's state was `silent`, records that the server has responded. Leaves other states unchanged, because the
 * server may have reported in the meantime that it is going away.
 */
async function rememberProof(mode: Mode | undefined, env: Env): Promise<void> {
  if (mode !== 'silent') return;
  await mailboxOf(env).answered(mode);
  belief.isAway = false;
}

/**
 * Returns the mailbox's response in place of the server's; undefined if the server seems to be awake or has never called
 * the mailbox, or if the mailbox fails. `failed`: whether the server has just failed to respond to this request.
 */
async function fromMailbox(
  visitor: Visitor,
  failed: boolean,
  env: Env,
  context: ExecutionContext,
): Promise<Response | undefined> {
  try {
    const keepable = keepableOf(visitor);
    const said: Answered = await mailboxOf(env).visit({
      failed,
      ...(visitor.readsOnly && { look: copyRequestOf(visitor) }),
      ...(typeof keepable === 'object' && { item: await itemOf(keepable, visitor, env) }),
    });
    const { mode, tries } = said;
    const isOurs = mode !== 'unclaimed' && mode !== 'awake';
    const response = isOurs ? await responseTo(visitor, said, keepable) : undefined;
    belief.isAway = isAway(mode);
    if (tries) context.waitUntil(tryServer(visitor, mode, env));
    return response;
  } catch {
    belief.isAway = false;
    return undefined;
  }
}

/**
 * Checks whether the server responds again. If so, records that the server is awake. Records nothing if the server is
 * still off, because a server that is off responds to this check too, with a valid proof.
 */
async function tryServer({ url }: Visitor, mode: Mode, env: Env): Promise<void> {
  const found = await pingServer(url, env.PROOF_KEY);
  if (found === undefined || (mode === 'off' && found === 'off')) return;
  await mailboxOf(env).answered(mode);
  belief.isAway = false;
}

const isAway = (mode: Mode | undefined) => mode === 'silent' || mode === 'asleep' || mode === 'off';

/**
 * Matches the error for reaching a daily limit of Durable Objects on the free plan, such as "Exceeded allowed rows
 * written in Durable Objects free tier." Workers have a separate daily limit. Once that limit is reached, Cloudflare
 * doesn't run this program at all.
 */
const overLimit = /\bin Durable Objects free tier\b/;

/**
 * Responds to a call from the server. Checks the signature and the declared length first, so that no forged call
 * reaches the Durable Object. The Durable Object reads the body, because the Worker has too little time to read it.
 */
export async function answerCall(request: Request, env: Env): Promise<Response> {
  if (request.method !== 'POST') return callAnswer(404, { error: 'not_found' });
  const refusal = await callRefusal(claimedCall(request), env.CALL_KEY);
  if (refusal !== undefined) return refusalAnswer(refusal);
  const length = Number(request.headers.get('content-length') ?? 0);
  if (length > mostCallBytes) return refusalAnswer(refusals.tooLarge);
  try {
    return await mailboxOf(env).fetch(request);
  } catch (error) {
    if (overLimit.test(String(error))) return refusalAnswer(refusals.overLimit);
    throw error;
  }
}
