import { SignJWT, importJWK, type JWK, type JWTPayload } from 'jose';

/** The parts of a token that a forger starts from. */
export interface Pattern {
  readonly header: Record<string, unknown>;
  readonly payload: JWTPayload;
}

export function patternOf(token: string): Pattern {
  const [header = '', payload = ''] = token.split('.');
  return { header: read(header), payload: read(payload) };
}

/** A token with a header and a payload of the forger's choice, signed with `key` (a private JWK, or a shared secret). */
export async function signedWith(
  { header, payload }: Pattern,
  key: string | Uint8Array,
  alg = 'EdDSA',
): Promise<string> {
  return new SignJWT(payload)
    .setProtectedHeader({ ...header, alg })
    .sign(typeof key === 'string' ? await importJWK(JSON.parse(key) as JWK, alg) : key);
}

/** A token that says it needs no signature, in each spelling. */
export function unsigned({ header, payload }: Pattern): string[] {
  return ['none', 'None', 'NONE', 'nOnE', ''].flatMap((alg) => {
    const start = `${write({ ...header, alg })}.${write(payload)}`;
    return [`${start}.`, `${start}.AA`, start];
  });
}

/** The token with another payload under the old signature. */
export function withPayload(token: string, changes: JWTPayload): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  return `${header}.${write({ ...read(payload), ...changes })}.${signature}`;
}

/** The token with another header over the old payload and signature. */
export function withHeader(token: string, changes: Record<string, unknown>): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  return `${write({ ...read(header), ...changes })}.${payload}.${signature}`;
}

/** Each spelling in which a public key could be taken for a shared secret (algorithm confusion). */
export function publicKeyAsSecret(publicJwk: JWK): Uint8Array[] {
  const point = Buffer.from(publicJwk.x ?? '', 'base64url');
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), point]);
  const pem = `-----BEGIN PUBLIC KEY-----\n${spki.toString('base64')}\n-----END PUBLIC KEY-----\n`;
  return [
    point,
    spki,
    Buffer.from(pem),
    Buffer.from(publicJwk.x ?? ''),
    Buffer.from(JSON.stringify(publicJwk)),
  ];
}

function read(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
}

function write(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
