import type { MessageBoxOptions, MessageBoxReturnValue } from 'electron';
import type { OwnerApi } from '../contract/contract.ts';
import type { SignIn } from '../contract/sign-ins.ts';
import { ask } from '../owner/ask.ts';
import { promptWords, type PromptAnswer } from './prompt-words.ts';

const labels: Record<PromptAnswer, string> = { deny: 'Deny', review: 'Review', approve: 'Approve' };

/** How long a dialog must be on the screen before its answer is accepted, and the pause between two dialogs, in ms. */
const readingMs = 1000;
const hurriedWords =
  'You answered within a second, so Porchlight did not count your answer. Please read this and answer again.';

// The result if the owner closes the dialog or presses Escape, or if it is aborted: the sign-in then stays waiting.
const noButton = -1;

interface PromptTools {
  readonly owner: OwnerApi;
  /** Electron's dialog.showMessageBox. */
  readonly showMessageBox: (options: MessageBoxOptions) => Promise<MessageBoxReturnValue>;
  /** Resolves when the screen is not locked, or when the signal aborts: no dialog appears behind a locked screen. */
  readonly unlocked: (signal: AbortSignal) => Promise<void>;
  /** Opens the window to review a sign-in. */
  readonly review: (id: string) => void;
  /** Tells the owner that the app was approved. */
  readonly approved: (signIn: SignIn) => void;
  /** Tells the owner that their answer could not be delivered. */
  readonly failed: (error: unknown) => void;
}

/**
 * Asks the owner about each sign-in in a native dialog, one after the other, starting with those already waiting. A
 * dialog closes when its sign-in is settled elsewhere or expires. The next dialog appears after a second, so that the
 * second click of a double click can't hit it. Returns a function that stops the prompts and closes the dialog.
 */
export function startPrompts(tools: PromptTools): () => void {
  const waiting = new Map<string, { signIn: SignIn; settled: AbortController }>();
  let busy = false;

  const work = async () => {
    if (busy) return;
    busy = true;
    const first = () => waiting.values().next().value;
    for (let next = first(); next; next = first()) {
      await prompt(tools, next.signIn, next.settled.signal).catch(tools.failed);
      waiting.delete(next.signIn.id);
      await new Promise((resolve) => setTimeout(resolve, readingMs));
    }
    busy = false;
  };
  const add = (signIn: SignIn) => {
    waiting.set(signIn.id, { signIn, settled: new AbortController() });
    void work();
  };
  const settle = (id: string) => {
    waiting.get(id)?.settled.abort();
    waiting.delete(id);
  };

  // The IDs of sign-ins with events that arrive while the list is loading. Those events are newer than the list.
  let told: Set<string> | undefined = new Set();
  const unsubscribe = tools.owner.subscribe((event) => {
    if (event.name !== 'signIn.settled' && event.name !== 'signIn.requested') return;
    told?.add(event.data.id);
    if (event.name === 'signIn.settled') settle(event.data.id);
    else add(event.data);
  });
  const begin = async () => {
    const earlier = await ask(tools.owner, 'signIns.list', {}).catch(() => []); // the window shows the sign-ins anyway
    for (const signIn of earlier) if (told?.has(signIn.id) === false) add(signIn);
    told = undefined;
  };
  void begin();
  return () => {
    unsubscribe();
    told = undefined;
    for (const id of [...waiting.keys()]) settle(id);
  };
}

/** Shows one dialog and carries out the owner's answer. */
async function prompt(tools: PromptTools, signIn: SignIn, settled: AbortSignal): Promise<void> {
  const left = Date.parse(signIn.expiresAt) - Date.now();
  if (left <= 0 || settled.aborted) return;
  const signal = AbortSignal.any([settled, AbortSignal.timeout(left)]);
  const isOver = () => signal.aborted;
  await tools.unlocked(signal);
  if (isOver()) return;
  const answer = await answerTo(tools, signIn, signal);
  if (isOver()) return;
  if (answer === 'review') tools.review(signIn.id);
  if (answer === 'deny') await ask(tools.owner, 'signIns.deny', { id: signIn.id });
  if (answer === 'approve') {
    await ask(tools.owner, 'signIns.approve', { id: signIn.id, scopes: signIn.scopes });
    tools.approved(signIn);
  }
}

/**
 * Shows the dialog again until the answer comes late enough for somebody to have read it. A native dialog accepts input
 * from its first moment, even input meant for whatever had the focus before. A hasty Review is accepted, because it
 * does no harm.
 */
async function answerTo(
  { showMessageBox }: PromptTools,
  signIn: SignIn,
  signal: AbortSignal,
): Promise<PromptAnswer | undefined> {
  const { message, detail, answers } = promptWords(signIn);
  for (let hurried = false; ; hurried = true) {
    const shownAt = performance.now();
    const { response } = await showMessageBox({
      type: 'question',
      title: 'Sign-in',
      message,
      detail: hurried ? `${hurriedWords}\n\n${detail}` : detail,
      buttons: answers.map((answer) => labels[answer]),
      // Enter means Review: a key press meant for another window must never approve.
      defaultId: answers.indexOf('review'),
      cancelId: noButton,
      noLink: true,
      signal,
    });
    const answer = answers[response];
    const isHurried = performance.now() - shownAt < readingMs && (answer === 'approve' || answer === 'deny');
    if (!isHurried || signal.aborted) return answer;
  }
}
