import type { Browser, CDPSession, Page } from 'playwright';
import type { HeadlessProcess } from './headless-process.ts';

/** A phone with a browser and a passkey, as Chromium's virtual authenticator is one. */
export interface TestPhone {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly authenticatorId: string;
  /** Scans a QR code, up to the code that it shows. */
  scan(url: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts a phone. `options`: what differs from one that checks who uses it. */
export async function openTestPhone(
  chromium: Browser,
  options: { isUserVerified?: boolean; synced?: boolean } = {},
): Promise<TestPhone> {
  const context = await chromium.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { isUserVerified = true, synced = false } = options;
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...({ protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const),
      ...{ hasUserVerification: true, isUserVerified, automaticPresenceSimulation: true },
      ...{ defaultBackupEligibility: synced, defaultBackupState: synced },
    },
  });
  return {
    page,
    cdp,
    authenticatorId,
    async scan(url) {
      await page.goto(url);
      await page.getByRole('button', { name: 'Create a passkey' }).click();
      await page.locator('#code').waitFor();
      return ((await page.locator('#code').textContent()) ?? '').replace(' ', '');
    },
    close: () => context.close(),
  };
}

/** Pairs a phone with a server whose owner compares the codes. Returns its id. */
export async function pairTestPhone(
  { call }: Pick<HeadlessProcess, 'call'>,
  phone: TestPhone,
): Promise<string> {
  const { id, url } = await call('phones.pair', {});
  const code = await phone.scan(url);
  const waiting = (await call('phones.list', {})).find((one) => one.id === id);
  if (waiting?.code !== code)
    throw new Error(`The phone shows ${code}, the computer ${waiting?.code ?? ''}.`);
  await call('phones.confirm', { id });
  await phone.page.getByText('This phone is paired.').waitFor();
  return id;
}
