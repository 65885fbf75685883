import { mostCallBytes } from '../../platform/mailbox-protocol.ts';
import { mailboxOf, type Env } from './env.ts';
import { callAnswer, claimedCall, refusalAnswer, callRefusal, refusals } from './signature.ts';

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
