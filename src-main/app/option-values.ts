import { PorchlightError } from '../contract/error.ts';
import { hostIsLoopback } from '../platform/address.ts';

/**
 * Reads a yes-or-no option from an environment variable.
 * @throws PorchlightError `invalid_option`, like the other functions in this file that read an option.
 */
export function booleanOf(name: string, text: string | undefined): boolean {
  const value = (text ?? '').trim().toLowerCase();
  if (['1', 'true', 'yes'].includes(value)) return true;
  if (['0', 'false', 'no', ''].includes(value)) return false;
  throw invalidOption(`${name} is "${value}". Write 1, true or yes, or 0, false or no.`);
}

/** Reads a port number from 0 to 65535. */
export function portOption(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw invalidOption(`--${name} is "${text}". Enter a port number from 0 to 65535.`);
  return port;
}

/**
 * Returns the origin of a base URL (D-7), without a trailing slash. The URL must use https. Only an address of this
 * computer may use http.
 */
export function originOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = webAddress('base-url', text, 'https://porch.example.com');
  if (url.href !== `${url.origin}/`) {
    throw invalidOption(
      `--base-url is "${withoutUserinfo(url)}". Enter only the scheme and host: ${url.origin}`,
    );
  }
  if (url.protocol === 'http:' && !hostIsLoopback(url.hostname)) {
    throw invalidOption(
      '--base-url must begin with https://. Only addresses of this computer may use http (http://localhost).',
    );
  }
  return url.origin;
}

/** Reads a profile URL. The other rules of IndieAuth 3.2 are checked when the URL is stored in the settings. */
export function profileUrlOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : webAddress('me', text, 'https://example.com/').href;
}

function webAddress(name: string, text: string, example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalidOption(`--${name} isn’t a web address. Write a full address, such as ${example}`);
  }
  return url;
}

/** Returns the URL without its user name and password, which must not appear on the screen. */
function withoutUserinfo(url: URL): string {
  const copy = new URL(url);
  copy.username = '';
  copy.password = '';
  return copy.href;
}

/** Reads an option whose value must be one of `choices`. */
export function oneOf<T extends string>(
  name: string,
  choices: readonly T[],
  text: string | undefined,
): T | undefined {
  const choice = choices.find((known) => known === text);
  if (text !== undefined && choice === undefined) {
    throw invalidOption(`--${name} is "${text}". Choose one of: ${choices.join(', ')}.`);
  }
  return choice;
}

/** Returns the error for an invalid option. `words`: the message for the user. */
export function invalidOption(words: string): PorchlightError {
  return new PorchlightError('invalid_option', words);
}
