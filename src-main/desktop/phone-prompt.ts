import type { MessageBoxOptions, MessageBoxReturnValue, NativeImage } from 'electron';
import { ask } from '../app/ask.ts';
import type { OwnerApi } from '../contract/contract.ts';
import type { Phone } from '../contract/phones.ts';
import { timeoutSignal } from '../platform/clock.ts';
import { dialogText } from './dialog-words.ts';
import { unhurried } from './prompt.ts';

interface PhonePromptTools {
  readonly owner: OwnerApi;
  readonly showMessageBox: (options: MessageBoxOptions) => Promise<MessageBoxReturnValue>;
  readonly icon: NativeImage;
  /** Tells the owner that the phone could not be paired. */
  readonly failed: (error: unknown) => void;
}

const cancel = 0;
const pair = 1;
/** How long a phone waits, in ms. */
const waitingMs = 300_000;

/** Returns the API for the windows: only the native dialog confirms a phone, whatever runs in a window. */
export const withoutConfirming = (owner: OwnerApi): OwnerApi => ({
  subscribe: (listener) => owner.subscribe(listener),
  call: (method, params) =>
    method === 'phones.confirm'
      ? Promise.resolve({ error: { code: 'not_allowed', message: 'Answer Porchlight’s own dialog.' } })
      : owner.call(method, params),
});

/**
 * Asks the owner in a native dialog whether the phone that waits shows the same code. The dialog closes when the phone no
 * longer waits. Returns a function that stops this.
 */
export function startPhonePrompts(tools: PhonePromptTools): () => void {
  let asked: { readonly id: string; readonly over: AbortController } | undefined;

  const unsubscribe = tools.owner.subscribe((event) => {
    if (event.name !== 'phones.changed') return;
    const waiting = event.data.find(({ code }) => code !== undefined);
    if (waiting?.id === asked?.id) return;
    asked?.over.abort();
    asked = waiting && { id: waiting.id, over: new AbortController() };
    if (waiting && asked) prompt(tools, waiting, asked.over.signal).catch(tools.failed);
  });
  return () => {
    unsubscribe();
    asked?.over.abort();
  };
}

async function prompt(
  { owner, showMessageBox, icon }: PhonePromptTools,
  { id, name, code = '', synced }: Phone,
  over: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([over, timeoutSignal(waitingMs)]);
  const title = `${code.slice(0, 3)} ${code.slice(3)}: Pair this phone?`;
  const sync = 'Its passkey may be copied to other devices. Whoever gets into that account can approve, too.';
  const detail = [
    `Pair “${dialogText(name)}” only if it shows this code.`,
    'It can then approve sign-ins, wherever it is.',
    ...(synced ? [sync] : []),
  ].join('\n\n');
  const show = (words: string) =>
    showMessageBox({
      type: 'question',
      icon,
      title,
      message: title,
      detail: words + detail,
      buttons: ['Cancel', 'Pair'],
      defaultId: cancel,
      cancelId: cancel,
      noLink: true,
      signal,
    });
  const answer = await unhurried(show, (response) => response !== pair, signal);
  if (signal.aborted) return;
  await ask(owner, answer === pair ? 'phones.confirm' : 'phones.remove', { id });
}
