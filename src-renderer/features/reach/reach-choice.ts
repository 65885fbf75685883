import type { Settings } from '../../../src-main/contract/settings.ts';

type TunnelSettings = Settings['tunnel'];

/** The ways to a public address, as the owner sees them: `proxy` is a reverse proxy of their own. */
export type Way = 'off' | 'proxy' | 'named' | 'quick';

/** What the form holds. */
export interface ReachDraft {
  readonly way: Way;
  readonly publicUrl: string;
  readonly hostname: string;
  readonly token: string;
}

/** What stands in the fields that the owner has to mend. */
export type ReachProblems = Partial<Record<'publicUrl' | 'hostname' | 'token', string>>;

/** The form for what is saved. A token is never shown again. */
export function draftOf({ mode, hostname, publicUrl }: TunnelSettings): ReachDraft {
  const way = mode !== 'off' ? mode : publicUrl === '' ? 'off' : 'proxy';
  return { way, publicUrl, hostname, token: '' };
}

/** What saving the form changes. What belongs to another way is kept, for the way back. */
export function patchOf({ way, publicUrl, hostname }: ReachDraft): Partial<TunnelSettings> {
  switch (way) {
    case 'off':
      return { mode: 'off', publicUrl: '' };
    case 'proxy':
      return { mode: 'off', publicUrl: originTyped(publicUrl) ?? '' };
    case 'quick':
      return { mode: 'quick' };
    case 'named':
      return { mode: 'named', hostname: hostnameTyped(hostname) ?? '' };
  }
}

/** What is wrong with the fields of the chosen way; empty where it can be saved. */
export function problemsOf(
  { way, publicUrl, hostname, token }: ReachDraft,
  tokenKept: boolean,
): ReachProblems {
  if (way === 'proxy' && originTyped(publicUrl) === undefined)
    return { publicUrl: 'It should look like https://porch.example.com, with nothing after the name.' };
  if (way !== 'named') return {};
  return {
    ...(hostnameTyped(hostname) === undefined && { hostname: 'It should look like porch.example.com.' }),
    ...(token.trim() === '' && !tokenKept && { token: 'Paste the token of your tunnel.' }),
    ...(token.trim() !== '' &&
      tokenTyped(token) === undefined && {
        token: 'That is not a token: it is one long word from Cloudflare.',
      }),
  };
}

/** The token in what was pasted: Cloudflare shows it at the end of a command, and people copy the whole line. */
export function tokenTyped(text: string): string | undefined {
  const word = text.trim().split(/\s+/).at(-1) ?? '';
  return /^[A-Za-z0-9+/=_-]{20,4096}$/.test(word) ? word : undefined;
}

/** The host name in what was typed, which may be a whole address of it. */
export function hostnameTyped(text: string): string | undefined {
  const name = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/+$/, '');
  const isName =
    /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
  return isName.test(name) ? name.toLowerCase() : undefined;
}

/** The origin in what was typed; https goes without saying. Undefined for an address with a path, or none at all. */
export function originTyped(text: string): string | undefined {
  const typed = text.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (typed === '' || /\s/.test(typed) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined;
}
