import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { counts, expectError, withToken } from '../../support/answers.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { post, redeem, type Tokens } from '../../support/sign-in.ts';

let scene: Scene;
beforeAll(async () => void (scene = await openScene()));
afterAll(() => scene.close());

const endpoints = ['/token', '/auth'];

async function codeFor() {
  const request = scene.request();
  const answer = await scene.signIn(request);
  return {
    request,
    code: answer.get('code') ?? '',
    redeem: (changes: { at?: string } & Record<string, string | undefined> = {}) =>
      redeem(scene.porchlight, request, answer, changes),
  };
}

describe('one kind of secret never works as another', () => {
  test('a code is not accepted as an access token', async () => {
    const { code, redeem } = await codeFor();
    for (const [path, method] of [
      ['/token', 'GET'],
      ['/userinfo', 'GET'],
      ['/introspect', 'POST'],
    ] as const) {
      expect((await withToken(scene.porchlight, path, code, { method })).status).toBe(401);
    }
    expect((await redeem()).status).toBe(200); // and asking did not spend it
  });

  test('an access token is not a code, and neither is a refresh token', async () => {
    const tokens = await scene.tokens(scene.request());
    for (const code of [tokens.access_token, tokens.refresh_token]) {
      const { redeem } = await codeFor();
      for (const at of endpoints) await expectError(await redeem({ at, code }), 400, 'invalid_grant');
    }
    expect(await counts(scene.porchlight, tokens.access_token)).toBe(true);
  });

  test('a code is not a refresh token, and neither is an access token', async () => {
    const { code, request, redeem } = await codeFor();
    const tokens = (await (await redeem()).json()) as Tokens;
    for (const refresh_token of [code, tokens.access_token]) {
      const fields = { grant_type: 'refresh_token', refresh_token, client_id: request.clientId };
      await expectError(await post(scene.porchlight, '/token', fields), 400, 'invalid_grant');
    }
    expect(await counts(scene.porchlight, tokens.access_token)).toBe(true);
  });

  test('a refresh token is not accepted as an access token', async () => {
    const { refresh_token } = await scene.tokens(scene.request());
    expect((await withToken(scene.porchlight, '/userinfo', refresh_token)).status).toBe(401);
    expect(await counts(scene.porchlight, refresh_token)).toBe(false);
  });
});
