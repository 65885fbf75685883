import { type ErrorCode, PorchlightError } from '../contract/error.ts';
import type { SignIn } from '../contract/sign-ins.ts';
import { mentionTypes } from '../contract/mention-types.ts';
import type { MentionRecord } from '../contract/webmentions.ts';

/** The owner's possible answers in the native dialog. */
const answers = ['deny', 'review', 'approve'] as const;
export type PromptAnswer = (typeof answers)[number];

// The maximum number of scopes and warnings in a native dialog. With more of them, the dialog's buttons would not fit
// on a small screen.
const mostLines = 16;

/**
 * Returns the text and buttons of the dialog for one sign-in. The text lists every requested scope and every warning,
 * because the owner must see what they grant (Micropub 5.4). If there are too many, the text says only how many there
 * are, and the dialog has no Approve button, nor if the permissions must be chosen one by one. The owner then reviews
 * the request in the window.
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
    answers: answers.filter((answer) => (fits && signIn.needsReview !== true) || answer !== 'approve'),
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

/** Returns the text of a notification about mentions that arrived together. `mentions`: the oldest mention first. */
export function mentionWords(mentions: readonly MentionRecord[]): { title: string; body: string } {
  const [first] = mentions;
  if (mentions.length === 1 && first) {
    const held = first.status === 'held' ? ' It is waiting for your approval.' : '';
    return {
      title: `${whose(first)} ${mentionTypes[first.type].toOwner}`,
      body: `${saying(first)}${held}`.trim(),
    };
  }
  const waiting = mentions.filter(({ status }) => status === 'held').length;
  const names = [...new Set(mentions.map(whose))];
  const others = names.length > 3 ? ` and ${names.length - 3} more` : '';
  const held = waiting === 0 ? '' : ` ${waiting} ${waiting === 1 ? 'is' : 'are'} waiting for your approval.`;
  return {
    title: `${mentions.length} new mentions`,
    body: `From ${names.slice(0, 3).join(', ')}${others}.${held}`,
  };
}

function whose({ author, source }: MentionRecord): string {
  const name = dialogText(author?.name ?? '', 60);
  return name === '' ? dialogText(new URL(source).host, 80) : name;
}

function saying({ content, name, type }: MentionRecord): string {
  const text = dialogText(content?.value ?? name ?? '', 140);
  return text === '' || type === 'like' || type === 'repost' ? '' : text;
}

const titles: Partial<Record<ErrorCode, string>> = {
  folder_in_use: 'Another Porchlight is using this data folder',
  storage_newer: 'This data was written by a newer Porchlight',
  storage_unwritable: 'Porchlight cannot write to your data folder',
  storage_full: 'The disk that holds your data is full',
  keychain_unavailable: 'Porchlight cannot use this computer’s keychain',
};

/** Returns the text of a dialog about an error. `detail`: the error's own message, which says what the owner can do. */
export function failureWords(error: unknown): { message: string; detail: string } {
  const title = error instanceof PorchlightError ? titles[error.code] : undefined;
  return {
    message: title ?? 'Porchlight could not start',
    detail: error instanceof Error ? error.message : 'Something unexpected happened.',
  };
}

// The characters to remove. Cc: control characters, Cf: invisible characters (bidi overrides, zero width), Zl and Zp:
// line breaks other than \n, Co, Cn, Cs: private, unassigned and surrogate characters. U+115F and the last four:
// letters that look blank.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u115F\u1160\u3164\uFFA0\u2800]/gu;

/**
 * Returns text from a stranger, such as an app's name, in a form that is safe for a native dialog. The result is one
 * line, without invisible characters and without characters that reverse the reading direction. It has at most `length`
 * characters, as a person counts them.
 */
export function dialogText(text: string, length = 60): string {
  const line = text
    .replaceAll('\uFEFF', '')
    .replace(/\s+/gu, ' ')
    .replace(unseen, '')
    .replace(/ {2,}/g, ' ')
    .trim();
  const letters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(line)].map(
    ({ segment }) =>
      // A letter can have hundreds of combining marks, which would overlap the lines above and below.
      Array.from(segment).slice(0, 12).join(''),
  );
  return letters.length <= length ? letters.join('') : `${letters.slice(0, length - 1).join('')}…`;
}
