import type { MessageBoxOptions, MessageBoxReturnValue } from 'electron';
import type { OwnerApi } from '../contract/contract.ts';
import type { SignIn } from '../contract/sign-ins.ts';
import { ask } from '../owner/ask.ts';
import { promptWords, type Answer } from './prompt-words.ts';

const labels: Record<Answer, string> = { deny: 'Deny', review: 'Review', approve: 'Approve' };

/** Milliseconds a dialog must have been on the screen before an answer counts, and between two dialogs. */
const readingMs = 1000;
const hurriedWords =
  'You answered within a second, so Porchlight did not count your answer. Please read this and answer again.';

// No button: closing the dialog, Escape and an abort answer nothing, so that the sign-in goes on waiting.
const noButton = -1;

export interface PromptTools {
  readonly owner: OwnerApi;
  /** Electron's dialog.showMessageBox. */
  readonly showMessageBox: (options: MessageBoxOptions) => Promise<MessageBoxReturnValue>;
  /** Resolves when the screen is not locked, or at the signal: nobody is asked behind a locked screen. */
  readonly unlocked: (signal: AbortSignal) => Promise<void>;
  /** Opens the window at this sign-in. */
  readonly review: (id: string) => void;
  /** Tells the owner that the app was let in. */
  readonly approved: (signIn: SignIn) => void;
  /** Tells the owner that the answer did not arrive. */
  readonly failed: (error: unknown) => void;
}

/**
 * Asks the owner about each sign-in with a native dialog, one at a time and in turn, beginning with those that wait
 * already. A dialog goes away when its sign-in is settled elsewhere or expires. The next one waits a second, so that
 * the second press of a double click does not meet it. Returns the function that ends it all.
 */
export function startPrompts(tools: PromptTools): () => void {
  const waiting = new Map<string, { signIn: SignIn; settled: AbortController }>();
  let busy = false;

  const work = async () => {
    if (busy) return;
    busy = true;
    for (let next = first(waiting); next; next = first(waiting)) {
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

  // What events tell while the list is on its way is newer than the list.
  let told: Set<string> | undefined = new Set();
  const unsubscribe = tools.owner.subscribe((event) => {
    if (event.name !== 'signIn.settled' && event.name !== 'signIn.requested') return;
    told?.add(event.data.id);
    if (event.name === 'signIn.settled') settle(event.data.id);
    else add(event.data);
  });
  const begin = async () => {
    const earlier = await ask(tools.owner, 'signIns.list', {}).catch(() => []); // the window shows them all the same
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

/** Shows one dialog and does what the owner answered. */
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
 * Shows the dialog until it is answered by somebody who could have read it. A native dialog takes presses from its
 * first moment, also those that were meant for what was there before; Review does no harm then.
 */
async function answerTo(
  { showMessageBox }: PromptTools,
  signIn: SignIn,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const { message, detail, answers } = promptWords(signIn);
  for (let hurried = false; ; hurried = true) {
    const shownAt = performance.now();
    const { response } = await showMessageBox({
      type: 'question',
      title: 'Sign-in',
      message,
      detail: hurried ? `${hurriedWords}\n\n${detail}` : detail,
      buttons: answers.map((answer) => labels[answer]),
      // Enter reviews: a key that was meant for another window must never approve.
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

function first<K, V>(map: ReadonlyMap<K, V>): V | undefined {
  return map.values().next().value;
}
