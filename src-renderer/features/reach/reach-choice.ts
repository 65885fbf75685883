import type { Settings, SettingsPatch } from '../../../src-main/contract/settings.ts';
import { tunnelOptionPattern } from '../../../src-main/contract/tunnel-options.ts';
import { problemWords, type Way } from './words.ts';

type TunnelSettings = Settings['tunnel'];
type CloudflaredSettings = Settings['cloudflared'];

/**
 * What the form holds. `funnelUrl`: the public address by Tailscale Funnel. `options`, `certificate`: the owner's own
 * options for cloudflared, and the path of its certificate.
 */
export interface ReachDraft {
  readonly way: Way;
  readonly publicUrl: string;
  readonly funnelUrl: string;
  readonly hostname: string;
  readonly token: string;
  readonly options: string;
  readonly certificate: string;
}

/** What is wrong with a field, in words for the owner. */
export type ReachProblems = Partial<Record<Exclude<keyof ReachDraft, 'way'>, string>>;

/**
 * Returns the form for what is saved. It never contains the token. `isManaged`: whether Porchlight set up the named tunnel
 * at Cloudflare.
 */
export function reachDraft(
  { mode, hostname, publicUrl }: TunnelSettings,
  { options, certificate }: CloudflaredSettings,
  isManaged: boolean,
): ReachDraft {
  const isFunnel = isFunnelUrl(publicUrl);
  const own = publicUrl === '' ? 'off' : isFunnel ? 'tailscale' : 'proxy';
  const byTunnel = mode === 'named' && !isManaged ? 'hand' : mode;
  return {
    way: byTunnel === 'off' ? own : byTunnel,
    publicUrl: isFunnel ? '' : publicUrl,
    funnelUrl: isFunnel ? publicUrl : '',
    hostname,
    token: '',
    options: options.join(' '),
    certificate,
  };
}

/** Returns what saving the form changes. The fields of other ways stay as they are, in case the owner goes back. */
export function patchOf({ way, publicUrl, funnelUrl, hostname }: ReachDraft): Partial<TunnelSettings> {
  switch (way) {
    case 'off':
      return { mode: 'off', publicUrl: '' };
    case 'proxy':
      return { mode: 'off', publicUrl: originTyped(publicUrl) ?? '' };
    case 'tailscale':
      return { mode: 'off', publicUrl: originTyped(funnelUrl) ?? '' };
    case 'quick':
      return { mode: 'quick' };
    case 'named':
    case 'hand':
      return { mode: 'named', hostname: hostnameTyped(hostname) ?? '' };
  }
}

/** What a choice leads to. `url`: the public address; null where there is none, or a quick tunnel invents one. */
export interface ReachGoal {
  readonly mode: TunnelSettings['mode'];
  readonly url: string | null;
}

/** Returns what a form leads to once it is saved. */
export function goalOf(draft: ReachDraft): ReachGoal {
  const { mode = 'off', publicUrl = '', hostname = '' } = patchOf(draft);
  if (mode === 'named') return { mode, url: `https://${hostname}` };
  return { mode, url: mode === 'quick' || publicUrl === '' ? null : publicUrl };
}

/** Returns what saving the form changes for cloudflared: only what the owner has typed into. */
export function cloudflaredPatch({ options, certificate }: Partial<ReachDraft>): SettingsPatch {
  if (options === undefined && certificate === undefined) return {};
  const cloudflared = {
    ...(options !== undefined && { options: optionsTyped(options) }),
    ...(certificate !== undefined && { certificate: certificate.trim() }),
  };
  return { cloudflared };
}

/** Returns what is wrong with the fields of the chosen way; empty where the form can be saved. */
export function problemsOf(
  { way, publicUrl, funnelUrl, hostname, token, options }: ReachDraft,
  tokenKept: boolean,
): ReachProblems {
  if (way === 'proxy' && originTyped(publicUrl) === undefined) return { publicUrl: problemWords.publicUrl };
  if (way === 'tailscale' && !isFunnelUrl(originTyped(funnelUrl) ?? ''))
    return { funnelUrl: problemWords.funnelUrl };
  const unknown = optionsTyped(options).find((option) => !isOption.test(option));
  const wrongOption =
    isByTunnel(way) && unknown !== undefined ? { options: problemWords.option(unknown) } : {};
  if (way !== 'hand') return wrongOption;
  return {
    ...wrongOption,
    ...(hostnameTyped(hostname) === undefined && { hostname: problemWords.hostname }),
    ...(token.trim() === '' && !tokenKept && { token: problemWords.noToken }),
    ...(token.trim() !== '' && tokenTyped(token) === undefined && { token: problemWords.badToken }),
  };
}

/** Returns whether cloudflared brings the web here this way. */
export const isByTunnel = (way: Way): boolean => way === 'named' || way === 'hand' || way === 'quick';

const isOption = new RegExp(tunnelOptionPattern);

/** Returns the options in what was typed. A value may stand after a space, as in a terminal. */
function optionsTyped(text: string): string[] {
  const joined = text.replace(/(--[a-z0-9-]+)\s+(?!-)(\S+)/gi, '$1=$2');
  return joined.split(/\s+/).filter((word) => word !== '');
}

/** Returns the token in what was pasted. Cloudflare shows it at the end of a command, and people copy the whole line. */
export function tokenTyped(text: string): string | undefined {
  const word = text.trim().split(/\s+/).at(-1) ?? '';
  return /^[A-Za-z0-9+/=_-]{20,4096}$/.test(word) ? word : undefined;
}

/** Returns the host name in what was typed, which may be a whole address. */
export function hostnameTyped(text: string): string | undefined {
  const name = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/+$/, '');
  const isName =
    /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
  return isName.test(name) ? name.toLowerCase() : undefined;
}

/** Returns the origin in what was typed, with https by default; undefined where it has a path or is no address. */
export function originTyped(text: string): string | undefined {
  const typed = text.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (typed === '' || /\s/.test(typed) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined;
}

/** Funnel gives addresses under ts.net only. */
function isFunnelUrl(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'https:' && new URL(url).hostname.endsWith('.ts.net');
}
