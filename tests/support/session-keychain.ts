// Without libsecret, keytar doesn't even load.
const loaded = await import('keytar').then(
  ({ default: keytar }) => keytar,
  () => undefined,
);

/** Why there is no keychain here; undefined where there is one. */
export const whyNoKeychain =
  loaded === undefined
    ? 'the keychain’s library (libsecret) is not installed'
    : await loaded.findCredentials('porchlight-test').then(
        () => undefined,
        () => 'there is no unlocked keychain in this session',
      );

/** The keychain of this session, for tests that `whyNoKeychain` doesn't skip. */
export const keytar = loaded!;
