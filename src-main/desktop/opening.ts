import { PorchlightError } from '../contract/error.ts';
import type { Service, ServiceOptions } from '../app/service-options.ts';
import { failureWords } from './failure-words.ts';
import { showMessageBox } from './message-box.ts';

type Secrets = ServiceOptions['secrets'];

export interface Opening {
  /** Opens the service. `secrets`: whether the secrets are in the keychain or in a file. */
  readonly open: (secrets: Secrets) => Promise<Service>;
  /**
   * Where the secrets are stored. If neither an option nor a secrets file determines this, the value is undefined, and
   * Porchlight tries the keychain first.
   */
  readonly secrets: Secrets | undefined;
  /** Aborts when the app quits. This closes the open dialog. */
  readonly signal: AbortSignal;
}

/**
 * Opens the service. If the keychain can't be used and `secrets` is undefined, asks the owner what to do. Returns
 * undefined if the owner chooses to quit.
 * @throws the same errors as openApp
 */
export async function openForOwner(opening: Opening): Promise<Service | undefined> {
  for (;;) {
    try {
      return await opening.open(opening.secrets ?? 'keychain');
    } catch (error) {
      const unavailable = error instanceof PorchlightError && error.code === 'keychain_unavailable';
      if (!unavailable || opening.secrets !== undefined) throw error;
      const answer = await askAboutKeychain(error, opening.signal);
      if (answer === 'file') return await opening.open('file');
      if (answer === 'quit' || opening.signal.aborted) return undefined;
    }
  }
}

const keychainAnswers = ['again', 'file', 'quit'] as const;

async function askAboutKeychain(
  error: PorchlightError,
  signal: AbortSignal,
): Promise<(typeof keychainAnswers)[number]> {
  process.stderr.write(`Porchlight: ${error.message}\n`);
  const { response } = await showMessageBox({
    type: 'warning',
    title: 'Porchlight',
    message: 'Porchlight cannot use this computer’s keychain',
    detail: [
      `Porchlight keeps its secrets there, such as the key that signs you in. ${error.message}`,
      'If the keychain is locked, unlock it and try again.',
      'Porchlight can keep its secrets in a file in its data folder instead. Only your user account can read that file, ' +
        'but it is not encrypted, so programs that you run can read it too.',
    ].join('\n\n'),
    buttons: ['Try again', 'Keep secrets in a file on this computer', 'Quit'],
    defaultId: 0,
    cancelId: 2,
    noLink: true,
    signal,
  });
  return keychainAnswers[response] ?? 'quit';
}

/**
 * Shows a dialog that says why Porchlight can't start and what the owner can do. Resolves when the dialog is closed.
 */
export async function explainFailure(error: unknown, signal: AbortSignal): Promise<void> {
  const { message, detail } = failureWords(error);
  process.stderr.write(`Porchlight: ${message}. ${detail}\n`);
  await showMessageBox({
    type: 'error',
    title: 'Porchlight',
    message,
    detail,
    buttons: ['Quit'],
    signal,
  });
}
