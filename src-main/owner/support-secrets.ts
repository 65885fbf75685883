import { homedir } from 'node:os';

const hidden = '[redacted]';

/** Runs of letters and digits as keys, tokens, codes and hashes are made of; no word is that long and that mixed. */
const runs = /[A-Za-z0-9_-]{20,}/g;
/** Those that name no bearer of themselves: three parts with dots, as JSON Web Tokens and their likes. */
const dotted = /\b[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\b/g;
const emails = /[^\s@<>"'(),;:=/]+@[^\s@<>"'(),;:=/]+\.[^\s@<>"'(),;:=/]+/g;

/**
 * A text as it may be shown to somebody who helps: without `known` secrets, without whatever looks like one, without
 * email addresses, and without the name of the owner's home folder. Rather too much is left out than too little.
 */
export function withoutSecrets(text: string, known: readonly string[], home = homedir()): string {
  let clean = text;
  // Short ones would take common words with them; what this program makes is long.
  for (const secret of known)
    if (secret.length >= 6) for (const form of formsOf(secret)) clean = clean.replaceAll(form, hidden);
  if (home.length > 1) for (const form of formsOf(home)) clean = clean.replaceAll(form, '~');
  return clean
    .replace(dotted, hidden)
    .replace(runs, (run) => (looksSecret(run) ? hidden : run))
    .replace(emails, hidden);
}

/** A text as it stands in words, in JSON, and in the address of a file. */
function formsOf(text: string): string[] {
  return [text, JSON.stringify(text).slice(1, -1), text.replaceAll('\\', '/')];
}

function looksSecret(run: string): boolean {
  const isMixed = /[a-z]/.test(run) && /[A-Z]/.test(run);
  if (isMixed && (run.length >= 32 || /\d/.test(run))) return true;
  return /[0-9a-f]{32,}/i.test(run) && /\d/.test(run) && /[a-f]/i.test(run);
}
