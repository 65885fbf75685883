import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Keytar, openKeychain } from '../../../src-main/platform/secrets.ts';

/** A keytar in memory, with whatever is given broken in it. */
function fakeKeytar(broken: Partial<Keytar> = {}) {
  const entries = new Map<string, string>();
  const key = (service: string, account: string) => `${service}/${account}`;
  const keytar: Keytar = {
    getPassword: (service, account) => Promise.resolve(entries.get(key(service, account)) ?? null),
    setPassword: (service, account, password) => {
      entries.set(key(service, account), password);
      return Promise.resolve();
    },
    deletePassword: (service, account) => Promise.resolve(entries.delete(key(service, account))),
    ...broken,
  };
  return { entries, keytar, load: () => Promise.resolve(keytar) };
}

const unavailable = { code: 'keychain_unavailable', status: 503 };
const never = () => new Promise<never>(() => undefined);

describe('the keychain', () => {
  test('keeps secrets under its service, and leaves nothing of its trial behind', async () => {
    const { entries, load } = fakeKeytar();
    const keychain = await openKeychain({ service: 'porchlight', load });
    expect(keychain.kind).toBe('keychain');
    expect(entries.size).toBe(0);
    await keychain.set('signing-key', 'one');
    expect([...entries]).toEqual([['porchlight/signing-key', 'one']]);
    expect(await keychain.get('signing-key')).toBe('one');
    await keychain.delete('signing-key');
    await keychain.delete('signing-key');
    expect(await keychain.get('signing-key')).toBeNull();
  });

  test('refuses values of more than one line', async () => {
    const keychain = await openKeychain({ service: 's', load: fakeKeytar().load });
    for (const value of ['a\nb', 'a\rb', 'a\0b', '']) {
      await expect(keychain.set('name', value)).rejects.toMatchObject({ code: 'invalid_secret' });
    }
  });

  test('that cannot be loaded is a stated reason, not a crash', async () => {
    const load = () => Promise.reject(new Error('libsecret-1.so.0: cannot open shared object file'));
    const opening = openKeychain({ service: 's', load });
    await expect(opening).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringContaining('libsecret') as string,
    });
  });

  test.each(['setPassword', 'getPassword', 'deletePassword'] as const)(
    'that fails at %s is unavailable',
    async (call) => {
      const { load } = fakeKeytar({ [call]: () => Promise.reject(new Error('Cannot autolaunch D-Bus')) });
      await expect(openKeychain({ service: 's', load })).rejects.toMatchObject({
        ...unavailable,
        message: expect.not.stringContaining('D-Bus') as string,
      });
    },
  );

  test('that does not keep a value is unavailable', async () => {
    const { load } = fakeKeytar({ setPassword: () => Promise.resolve() });
    await expect(openKeychain({ service: 's', load })).rejects.toMatchObject(unavailable);
  });

  test('that waits for a prompt nobody sees is unavailable after its time limit', async () => {
    const { load } = fakeKeytar({ setPassword: never });
    await expect(openKeychain({ service: 's', load, timeoutMs: 20 })).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringContaining('unlock') as string,
    });
  });

  test.each([
    ['darwin', 119, 'Always Allow'],
    ['win32', 19, 'unlock it'],
    ['linux', 19, 'unlock it'],
  ] as const)(
    'may answer on %s after %i s; later than that, Porchlight says “%s”',
    async (...[platform, seconds, words]) => {
      vi.useFakeTimers({ fakeNodeBuiltins: true });
      onTestFinished(() => void vi.useRealTimers());
      const openAfter = (delay: number) => {
        const { keytar } = fakeKeytar();
        const answersLate: Keytar['setPassword'] = async (...entry) => {
          await new Promise((resolve) => setTimeout(resolve, delay * 1000));
          return keytar.setPassword(...entry);
        };
        const load = () => Promise.resolve({ ...keytar, setPassword: answersLate });
        return openKeychain({ service: 's', load, platform });
      };
      const inTime = openAfter(seconds);
      const tooLate = expect(openAfter(seconds + 2)).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringContaining(words) as string,
      });
      await vi.advanceTimersByTimeAsync((seconds + 2) * 1000);
      expect((await inTime).kind).toBe('keychain');
      await tooLate;
    },
  );

  test('that hangs is asked nothing more, so that it never takes more than one thread', async () => {
    const fake = fakeKeytar();
    const keychain = await openKeychain({ service: 's', load: fake.load, timeoutMs: 20 });
    let asked = 0;
    fake.keytar.getPassword = () => {
      asked += 1;
      return never();
    };
    const answers = await Promise.allSettled(['a', 'b', 'c'].map((name) => keychain.get(name)));
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(asked).toBe(1);
  });

  test('is closed once its running call has ended, and is asked nothing more', async () => {
    const fake = fakeKeytar();
    const keychain = await openKeychain({ service: 's', load: fake.load });
    const asked: string[] = [];
    let answer: (password: string) => void = () => undefined;
    fake.keytar.getPassword = (_service, name) => {
      asked.push(name);
      return new Promise((resolve) => (answer = resolve));
    };
    const running = keychain.get('a');
    const waiting = keychain.get('b');
    waiting.catch(() => undefined);
    await vi.waitFor(() => expect(asked).toEqual(['a']));
    let isClosed = false;
    const closing = keychain.close().then(() => (isClosed = true));
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    answer('one');
    await closing;
    expect(await running).toBe('one');
    await expect(waiting).rejects.toMatchObject(unavailable);
    await expect(keychain.get('c')).rejects.toMatchObject(unavailable);
    expect(asked).toEqual(['a']);
  });

  test('that hangs does not keep Porchlight from closing it', async () => {
    const fake = fakeKeytar();
    const keychain = await openKeychain({ service: 's', load: fake.load, timeoutMs: 10_000, closeMs: 20 });
    const getPassword = vi.spyOn(fake.keytar, 'getPassword').mockImplementation(never);
    const calls = ['a', 'b'].map((name) => keychain.get(name));
    const ended = Promise.allSettled(calls);
    await vi.waitFor(() => expect(getPassword).toHaveBeenCalled());
    await keychain.close();
    // Whoever waits for a call goes on, long before the call's own limit.
    for (const call of calls)
      await expect(call).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringContaining('closing') as string,
      });
    await ended;
  });

  test('that is locked later says so at that call, and works again once it is unlocked', async () => {
    const fake = fakeKeytar();
    const keychain = await openKeychain({ service: 's', load: fake.load });
    await keychain.set('a', 'one');
    const works = fake.keytar.getPassword.bind(fake.keytar);
    fake.keytar.getPassword = () => Promise.reject(new Error('locked'));
    await expect(keychain.get('a')).rejects.toMatchObject(unavailable);
    fake.keytar.getPassword = works;
    expect(await keychain.get('a')).toBe('one');
  });
});
