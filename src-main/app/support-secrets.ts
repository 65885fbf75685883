import { homedir } from 'node:os';

const hidden = '[redacted]';

/** Matches long runs of characters, as in keys, tokens and hashes. `looksSecret` then excludes ordinary words. */
const runs = /[A-Za-z0-9_-]{20,}/g;
/** Matches three parts joined by dots, as in JSON Web Tokens. A single part may be too short to match `runs`. */
const dotted = /\b[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\b/g;
const emails = /[^\s@<>"'(),;:=/]+@[^\s@<>"'(),;:=/]+\.[^\s@<>"'(),;:=/]+/g;

/**
 * Removes everything that the owner should not show to a person who helps them: the `known` secrets, anything that
 * looks like a secret, email addresses, and the path of the owner's home folder. When in doubt, removes too much rather
 * than too little.
 */
export function withoutSecrets(text: string, known: readonly string[], home = homedir()): string {
  let clean = text;
  // Short secrets are not removed, because removing them would also remove common words. The secrets that Porchlight
  // generates are long.
  for (const secret of known)
    if (secret.length >= 6) for (const form of formsOf(secret)) clean = clean.replaceAll(form, hidden);
  if (home.length > 1) for (const form of formsOf(home)) clean = clean.replaceAll(form, '~');
  return clean
    .replace(dotted, hidden)
    .replace(runs, (run) => (looksSecret(run) ? hidden : run))
    .replace(emails, hidden);
}

/** Returns the forms in which a string may appear: unchanged, escaped for JSON, and with `/` as the path separator. */
function formsOf(text: string): string[] {
  return [text, JSON.stringify(text).slice(1, -1), text.replaceAll('\\', '/')];
}

function looksSecret(run: string): boolean {
  const isMixed = /[a-z]/.test(run) && /[A-Z]/.test(run);
  if (isMixed && (run.length >= 32 || /\d/.test(run))) return true;
  return /[0-9a-f]{32,}/i.test(run) && /\d/.test(run) && /[a-f]/i.test(run);
}
