import type { SignIn } from '../contract/sign-ins.ts';
import { dialogText } from './strangers-text.ts';

/** The owner's possible answers in the native dialog. */
const answers = ['deny', 'review', 'approve'] as const;
export type PromptAnswer = (typeof answers)[number];

// The maximum number of scopes and warnings in a native dialog. With more of them, the dialog's buttons would not fit
// on a small screen.
const mostLines = 16;

/**
 * Returns the text and buttons of the dialog for one sign-in. The text lists every requested scope and every warning,
 * because the owner must see what they grant (Micropub 5.4). If there are too many, the text says only how many there
 * are, and the dialog has no Approve button. The owner then reviews the request in the window.
 */
export function promptWords(signIn: SignIn) {
  const asked = signIn.permissions.map(
    ({ scope, words }) => `• ${dialogText(words, 80)} (${dialogText(scope, 40)})`,
  );
  const warnings = signIn.warnings.map((warning) => `Warning: ${dialogText(warning, 200)}`);
  const fits = asked.length + warnings.length <= mostLines;
  return {
    // The code comes first, because the owner compares it and a long name may be cut off after it.
    title: `${signIn.matchCode}: Sign in to ${appNamed(signIn)}?`,
    detail: [
      `Approve only if your browser shows ${signIn.matchCode}.`,
      permissionLines(asked, fits),
      `Your browser then returns to ${dialogText(signIn.redirectUri, 120)}`,
      ...(fits ? warnings : [warningCount(warnings.length)]),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    answers: answers.filter((answer) => fits || answer !== 'approve'),
  };
}

/**
 * Returns the app's name, followed by the app's host in parentheses. Returns only the host if the app has no other
 * name.
 */
export function appNamed(signIn: SignIn): string {
  const host = dialogText(signIn.clientHost, 80);
  const name = dialogText(signIn.clientName);
  return name === '' || name === host ? host : `${name} (${host})`;
}

function permissionLines(asked: readonly string[], fits: boolean): string {
  if (asked.length === 0) return 'This app only wants to confirm who you are.';
  if (!fits)
    return `This app requests ${asked.length} permissions, too many to list here. Choose Review to see them all.`;
  return ['This app may then:', ...asked].join('\n');
}

function warningCount(count: number): string {
  return count === 0 ? '' : `Warnings: ${count}. Choose Review to read them.`;
}
