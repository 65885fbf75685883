import type { MessageBoxOptions, MessageBoxReturnValue, NativeImage } from 'electron';
import type { OwnerApi } from '../contract/contract.ts';
import type { SignIn } from '../contract/sign-ins.ts';
import { ask } from '../app/ask.ts';
import { timeoutSignal } from '../platform/clock.ts';
import { promptWords, type PromptAnswer } from './dialog-words.ts';

const labels: Record<PromptAnswer, string> = { deny: 'Deny', review: 'Review', approve: 'Approve' };

/**
 * The minimum time that a dialog must be visible before its answer counts, and the pause between two dialogs, in ms.
 */
const readingMs = 1000;
const hurriedWords =
  'You answered within a second, so Porchlight did not count your answer. Please read this and answer again.';

// The result of a dialog that was aborted or closed without an answer. The sign-in then continues to wait.
const noButton = -1;

interface PromptTools {
  readonly owner: OwnerApi;
  /** Shows a message box, as Electron's dialog.showMessageBox does. */
  readonly showMessageBox: (options: MessageBoxOptions) => Promise<MessageBoxReturnValue>;
  /** Porchlight's icon. An app's logo is a stranger's picture, which could look like Porchlight or like a warning. */
  readonly icon: NativeImage;
  /**
   * Resolves when the screen is unlocked or the signal aborts. Without this wait, a dialog could appear behind a locked
   * screen.
   */
  readonly unlocked: (signal: AbortSignal) => Promise<void>;
  /** Opens the window so that the owner can review a sign-in. */
  readonly review: (id: string) => void;
  /** Tells the owner that the app was approved. */
  readonly approved: (signIn: SignIn) => void;
  /** Tells the owner that their decision about a sign-in could not be carried out. */
  readonly failed: (error: unknown) => void;
}

/**
 * Asks the owner about each sign-in in a native dialog, one dialog at a time, starting with the sign-ins that are
 * already waiting. A dialog closes when its sign-in expires or is decided elsewhere. The next dialog appears a second
 * later, because the second click of a double click must not hit it. Returns a function that stops the prompts and
 * closes the dialog.
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

  // The IDs of the sign-ins that had events while the list was loading. The list may be older than these events, so its
  // entries for these sign-ins are ignored.
  let withEvents: Set<string> | undefined = new Set();
  const unsubscribe = tools.owner.subscribe((event) => {
    if (event.name !== 'signIn.settled' && event.name !== 'signIn.requested') return;
    withEvents?.add(event.data.id);
    if (event.name === 'signIn.settled') settle(event.data.id);
    else add(event.data);
  });
  const begin = async () => {
    // Errors are ignored: the window shows the waiting sign-ins anyway.
    const earlier = await ask(tools.owner, 'signIns.list', {}).catch(() => []);
    for (const signIn of earlier) if (withEvents?.has(signIn.id) === false) add(signIn);
    withEvents = undefined;
  };
  void begin();
  return () => {
    unsubscribe();
    withEvents = undefined;
    for (const id of [...waiting.keys()]) settle(id);
  };
}

/** Shows one dialog and applies the owner's decision. */
async function prompt(tools: PromptTools, signIn: SignIn, settled: AbortSignal): Promise<void> {
  const left = Date.parse(signIn.expiresAt) - Date.now();
  if (left <= 0 || settled.aborted) return;
  const signal = AbortSignal.any([settled, timeoutSignal(left)]);
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
 * Returns the answer to a dialog that `show` shows, again if the answer comes before the owner can have read it.
 * `isHarmless`: whether an answer counts at once.
 */
export async function unhurried(
  show: (hurriedWords: string) => Promise<MessageBoxReturnValue>,
  isHarmless: (response: number) => boolean,
  signal: AbortSignal,
): Promise<number> {
  for (let words = ''; ; words = `${hurriedWords}\n\n`) {
    const shownAt = performance.now();
    const { response } = await show(words);
    if (performance.now() - shownAt >= readingMs || isHarmless(response) || signal.aborted) return response;
  }
}

/**
 * Asks for the owner's answer. Shows the dialog again if the answer comes before the owner can have read the dialog. A
 * native dialog accepts input immediately, even input that was meant for another window. A quick click on Review is
 * accepted, because it does no harm.
 */
async function answerTo(
  { showMessageBox, icon }: PromptTools,
  signIn: SignIn,
  signal: AbortSignal,
): Promise<PromptAnswer | undefined> {
  const { title, detail, answers } = promptWords(signIn);
  const show = (words: string) =>
    showMessageBox({
      type: 'question',
      icon,
      title,
      // macOS shows no title.
      message: title,
      detail: words + detail,
      buttons: answers.map((answer) => labels[answer]),
      // Enter means Review, because a key press that was meant for another window must never approve a sign-in.
      defaultId: answers.indexOf('review'),
      cancelId: noButton,
      noLink: true,
      signal,
    });
  const isHarmless = (response: number) => answers[response] !== 'approve' && answers[response] !== 'deny';
  return answers[await unhurried(show, isHarmless, signal)];
}
