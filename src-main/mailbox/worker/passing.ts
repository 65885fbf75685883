import { awayAnswer, lateAnswer, tooLargeAnswer } from './answers.ts';
import { answerForServer } from './away.ts';
import { mailboxOf, type Env } from './env.ts';
import type { Mode } from './mailbox.ts';
import { askServer, lookAtServer } from './server.ts';
import { readVisitor, type Visitor } from './visitor.ts';

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
  if (visitor === undefined) return tooLargeAnswer(request);
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
  if (await attempt.isThere()) return answer?.response ?? lateAnswer(visitor.request);
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

/** Returns the mailbox's response; undefined if the server seems to be awake, or if the mailbox fails. */
async function fromMailbox(
  visitor: Visitor,
  failed: boolean,
  env: Env,
  context: ExecutionContext,
): Promise<Response | undefined> {
  try {
    const { mode, tries, response } = await answerForServer(visitor, failed, env);
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
  const found = await lookAtServer(url, env.PROOF_KEY);
  if (found === undefined || (mode === 'off' && found === 'off')) return;
  await mailboxOf(env).answered(mode);
  belief.isAway = false;
}

const isAway = (mode: Mode | undefined) => mode === 'silent' || mode === 'asleep' || mode === 'off';
