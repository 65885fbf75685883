import { expect } from 'vitest';
import { post } from './sign-in.ts';

/** A JSON answer's body. */
export async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>;
}

/** Expects the error answer of an API path: status, JSON, code and words, and nothing that may be kept. */
export async function expectError(response: Response, status: number, error: string): Promise<void> {
  expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
  const body = await jsonOf(response);
  expect({ status: response.status, error: body['error'] }).toEqual({ status, error });
  expect(body['error_description']).toEqual(expect.any(String));
  expectNotKept(response);
}

/** RFC 6749, 5.1: answers with secrets in them are kept by nobody on the way. */
export function expectNotKept(response: Response): void {
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('pragma')).toBe('no-cache');
}

/** Requests an address with a token in the Authorization header. */
export function withToken(
  { base }: { base: string },
  address: string,
  token: string,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(new URL(address, base), { ...init, headers: { authorization: `Bearer ${token}` } });
}

/** Asks about `token` the way of RFC 7662, with the right of `caller`. */
export async function introspect(
  server: { base: string },
  token: string,
  caller = token,
): Promise<Record<string, unknown>> {
  const response = await post(server, '/introspect', { token }, { authorization: `Bearer ${caller}` });
  expect(response.status).toBe(200);
  return jsonOf(response);
}

/** True where `token` opens the legacy verification. */
export async function counts(server: { base: string }, token: string): Promise<boolean> {
  const response = await withToken(server, '/token', token);
  if (response.status !== 200) expect(response.status).toBe(401);
  return response.status === 200;
}
