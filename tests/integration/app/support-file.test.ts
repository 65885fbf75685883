import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import { createLog } from '../../../src-main/platform/log.ts';
import { createLogFile } from '../../../src-main/platform/log-file.ts';
import { newSecretText } from '../../../src-main/platform/secrets.ts';
import { openSite, page } from '../../support/client-app.ts';
import { startPorchlight } from '../../support/porchlight.ts';
import { storedSubscription } from '../../support/push-service.ts';
import { signInRequest, tokensFor } from '../../support/sign-in.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

test('a support file contains what helps, and none of the secrets, wherever they appeared', async () => {
  const app = await openSite();
  app.pages.set('/', page('<title>App</title>'));
  const logFile = createLogFile();
  const log = createLog({ level: 'info' }, logFile);
  const dataDir = await temporaryFolder();
  const phone = await storedSubscription(dataDir);
  const house = await startPorchlight({ dataDir, log, logFile });
  const tokens = await tokensFor(house, signInRequest(app.origin));
  const made = await house.call('apps.issueToken', { label: 'By hand', scopes: ['create'] });
  const tunnelToken = Buffer.from(JSON.stringify({ a: newSecretText(), s: newSecretText() })).toString(
    'base64',
  );
  await house.call('secrets.setTunnelToken', { token: tunnelToken });
  await house.call('secrets.setAggregatorToken', { token: 'short-but-known' });
  const ntfy = { server: 'https://ntfy.example', topic: 'lamp' };
  await house.call('secrets.setNtfy', ntfy);
  await house.call('settings.update', {
    profile: { name: 'Ada Secretname', email: 'ada@private.example' },
    webmention: { trustedDomains: ['friend.example'] },
  });
  await house.call('setup.check', {});
  const { token: management } = await house.call('secrets.managementToken', {});
  const kept = JSON.parse(await readFile(path.join(house.dataDir, 'secrets.json'), 'utf8')) as {
    secrets: Record<string, string>;
  };
  const signingKey = JSON.parse(kept.secrets['signing-key'] ?? '') as { d: string };
  const planted = {
    management,
    tunnelToken,
    aggregator: 'short-but-known',
    ntfy: `${ntfy.server}/${ntfy.topic}`,
    ...phone,
    signingKey: signingKey.d,
    access: tokens.access_token,
    refresh: tokens.refresh_token,
    manual: made.token,
    ownerKey: newSecretText(),
    code: newSecretText(),
    email: 'ada@private.example',
    strangersEmail: 'stranger@mail.example',
    name: 'Ada Secretname',
    friend: 'friend.example',
    home: homedir(),
  };
  // However careless a line of the log is: in its text, as a property of any name, inside an address.
  for (const secret of Object.values(planted).filter((one) => one !== 'friend.example')) {
    log.info({ note: `it was ${secret}`, list: [secret] }, `said ${secret} aloud`);
    log.warn({ url: `https://a.example/${encodeURIComponent(secret)}/x` }, 'in an address');
  }

  const { name, text } = await house.call('support.file', {});
  expect(name).toMatch(/^porchlight-support-\d{4}-\d\d-\d\d\.txt$/);
  for (const [what, secret] of Object.entries(planted)) expect(text.includes(secret), what).toBe(false);
  for (const part of [
    'Porchlight 0.0.0-test',
    process.platform,
    'https://owner.example/',
    house.base,
    'records.sqlite: 1 files',
    'Last self-test',
    'fail: ',
    'said [redacted] aloud',
  ])
    expect(text).toContain(part);
  await house.remove();
  await app.close();
});
