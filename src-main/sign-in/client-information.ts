import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import type { RegisteredRedirects } from './redirect-uri.ts';
import { parseClientId } from '../platform/web-address.ts';
import { isRecord, jsonIn } from '../storage/json-value.ts';
import { isValid } from '../storage/schema-check.ts';

/** The information that a client publishes about itself, as far as Porchlight could read it. */
export interface ClientInformation {
  readonly id: string;
  readonly name: string;
  /** The URL of the client's logo, which is not fetched yet. */
  readonly logoUri: string | null;
  readonly redirects: RegisteredRedirects;
  /** Warnings about this client for the owner. */
  readonly warnings: readonly string[];
}

/** Returns the information about a client that its client_id alone provides. */
export function clientFromIdOnly(clientId: string, warning: string): ClientInformation {
  return {
    id: clientId,
    name: new URL(clientId).host,
    logoUri: null,
    redirects: { uris: [], exclusive: false },
    warnings: [warning],
  };
}

const clientDocument = Type.Object({
  client_id: Type.String(),
  client_name: Type.Optional(Type.String()),
  client_uri: Type.Optional(Type.String()),
  logo_uri: Type.Optional(Type.String()),
  redirect_uris: Type.Optional(Type.Array(Type.String())),
  token_endpoint_auth_method: Type.Optional(Type.String()),
});

function refuse(message: string): never {
  throw new PorchlightError('invalid_client', message);
}

/**
 * Reads a client's JSON document (IndieAuth 4.2.1, Client ID Metadata Document).
 * @throws PorchlightError `invalid_client` if the document is invalid or breaks a rule.
 */
export function clientFromDocument(clientId: string, text: string): ClientInformation {
  const document = parseObject(text);
  if (!isValid(clientDocument, document)) refuse('The app’s description is not a client metadata document.');
  if (!isSameId(document.client_id, clientId))
    refuse('The client_id in the app’s description belongs to another app.');
  if ('client_secret' in document || 'client_secret_expires_at' in document) {
    refuse('The app’s description contains a client secret, which must not be public.');
  }
  const method = document.token_endpoint_auth_method ?? 'none';
  if (method !== 'none') {
    const shown = displayName(method.slice(0, 60)) ?? '';
    refuse(`The app uses the authentication method “${shown}”, which this server does not support.`);
  }
  const { client_uri: clientUri, logo_uri: logoUri } = document;
  if (clientUri !== undefined && !isPrefix(clientUri, clientId)) {
    refuse('The client_uri in the app’s description does not match its client_id.');
  }
  return {
    id: clientId,
    name: displayName(document.client_name) ?? new URL(clientId).host,
    logoUri: logoUri !== undefined && /^https?:/i.test(logoUri) && URL.canParse(logoUri) ? logoUri : null,
    redirects: { uris: document.redirect_uris ?? [], exclusive: document.redirect_uris !== undefined },
    warnings: [],
  };
}

function parseObject(text: string): Record<string, unknown> {
  const value = jsonIn(text);
  return isRecord(value) ? value : refuse('The app’s description is not a JSON object.');
}

/** Returns whether two client ids match, ignoring an empty path and the case of scheme and host (IndieAuth 3.4). */
function isSameId(a: string, b: string): boolean {
  return a === b || (parseClientId(a) !== null && withPath(a) === withPath(b));
}

function withPath(id: string): string {
  const [, origin = '', rest = ''] = /^([^/]*\/\/[^/?]*)(.*)$/s.exec(id) ?? [];
  return `${origin.toLowerCase()}${rest.startsWith('/') ? '' : '/'}${rest}`;
}

/** Returns whether client_uri is a prefix of client_id (IndieAuth 4.2.1). The host names must be equal. */
function isPrefix(clientUri: string, clientId: string): boolean {
  if (!URL.canParse(clientUri)) return false;
  const [part, whole] = [new URL(clientUri), new URL(clientId)];
  return part.origin === whole.origin && whole.href.startsWith(part.href);
}

/** Returns a stranger's name as one line of at most 80 visible characters; undefined if nothing is left. */
export function displayName(text: string | undefined): string | undefined {
  const name = (text ?? '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return name === '' ? undefined : Array.from(name).slice(0, 80).join('');
}
