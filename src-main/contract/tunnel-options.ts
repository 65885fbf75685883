/**
 * The options for cloudflared that the owner may add: all of them change only how it connects to Cloudflare. Others could
 * lead the tunnel to another server or write files, and some are Porchlight's own. The setting may come from a backup that
 * somebody else has changed. `value`: a pattern of the value; absent for an option without one. `shown`: the value in the
 * window.
 */
const options: Readonly<Record<string, { readonly value?: string; readonly shown?: string }>> = {
  protocol: { value: 'auto|quic|http2' },
  'edge-ip-version': { value: 'auto|4|6' },
  'edge-bind-address': { value: '[0-9A-Fa-f.:]{2,45}', shown: 'IP' },
  region: { value: '[a-z]{2,8}', shown: 'us' },
  retries: { value: '\\d{1,2}', shown: '5' },
  'dial-edge-timeout': { value: '\\d{1,3}s', shown: '15s' },
  label: { value: '[A-Za-z0-9._-]{1,60}', shown: 'NAME' },
  'post-quantum': {},
  'quic-disable-pmtu-discovery': {},
  'no-prechecks': {},
};

const patterns = Object.entries(options).map(([name, { value }]) =>
  value === undefined ? name : `${name}=(${value})`,
);

/** The pattern of an option, with its value after `=`: `--protocol=http2`. */
export const tunnelOptionPattern = `^--(${patterns.join('|')})$`;

/** The options as the window lists them. */
export const tunnelOptions: readonly string[] = Object.entries(options).map(([name, { value, shown }]) =>
  value === undefined ? `--${name}` : `--${name}=${shown ?? value}`,
);
