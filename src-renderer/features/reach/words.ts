import type { TunnelReason, TunnelStatus } from '../../../src-main/contract/reach.ts';
import { tunnelOptions } from '../../../src-main/contract/tunnel-options.ts';

/** The ways to a public address, as the owner sees them. A proxy and Tailscale are both "off" with an address. */
export type Way = 'off' | 'proxy' | 'tailscale' | 'named' | 'quick';

export const reachWords = {
  group: 'How the web can reach you',
  reading: {
    settings: 'your public address',
    token: 'whether a token is stored',
    tunnel: 'the state of the tunnel',
  },
};

/** A way to a public address: its name, and what the owner needs for it or gets from it, a line each. */
interface WayWords {
  readonly value: Way;
  readonly label: string;
  readonly lines: readonly string[];
}

/** In the order in which they are offered. */
export const wayWords: readonly WayWords[] = [
  {
    value: 'named',
    label: 'Cloudflare with your own domain (recommended)',
    lines: [
      'You need a free Cloudflare account.',
      'You need a domain that uses Cloudflare DNS.',
      'You copy a token from Cloudflare once.',
    ],
  },
  {
    value: 'proxy',
    label: 'Your own reverse proxy',
    lines: ['Your proxy already forwards a public HTTPS address to this computer.'],
  },
  {
    value: 'tailscale',
    label: 'Tailscale Funnel',
    lines: ['You use Tailscale on this computer.'],
  },
  {
    value: 'quick',
    label: 'Quick tunnel, for trying it out',
    lines: ['No account. The address changes at each start, so sign-ins don’t last.'],
  },
  {
    value: 'off',
    label: 'Not yet (this computer only)',
    lines: ['Apps on the web can’t sign you in.'],
  },
];

export const problemWords = {
  publicUrl: 'Enter an address like https://porch.example.com, without a path.',
  funnelUrl: 'Enter an address like https://den.tail1a2b3.ts.net, without a path.',
  hostname: 'Enter a host name like porch.example.com.',
  noToken: 'Paste your tunnel’s token.',
  badToken: 'This isn’t a tunnel token. A token is one long word from Cloudflare.',
  option: (option: string) => `“${option}” isn’t one of the options that you can add.`,
};

export const cloudflaredWords = {
  title: 'Options for cloudflared',
  options: 'Options',
  optionsAbout: `Few networks need any. You can add: ${tunnelOptions.join(', ')}.`,
  optionsPlaceholder: '--protocol=http2',
  certificate: 'Certificate file',
  certificateAbout:
    'For a network that intercepts connections: the full path of its certificate (PEM). cloudflared then trusts only this certificate on the way to Cloudflare.',
  certificatePlaceholder: '/etc/ssl/certs/company.pem',
};

export const proxyWords = {
  label: 'Your public address',
  description: (port: number) =>
    `Forward all paths to http://127.0.0.1:${port}, and pass on all headers, such as Authorization and Set-Cookie.`,
  placeholder: 'https://porch.example.com',
};

export const namedWords = {
  heading: 'At Cloudflare (dash.cloudflare.com, Networking, Tunnels)',
  create: 'Create a tunnel and name it, for example “porchlight”.',
  copy: 'Cloudflare shows an install command. Copy it and paste it below as the token. Don’t run it.',
  publish: 'Add a published application: your host name, with this service: ',
  hostname: 'Host name',
  hostnamePlaceholder: 'porch.example.com',
  token: 'Token',
  newToken: 'New token',
  tokenKept: 'A token is stored. To replace it, paste a new one.',
  tokenSafe: 'Porchlight stores it with your other secrets.',
};

export const tailscaleWords = {
  heading: 'In a terminal on this computer',
  running: (name: string) => `Tailscale is connected. This computer is called ${name}.`,
  nameless: 'Tailscale is connected, but this computer has no name that Funnel can use.',
  stopped: 'Tailscale is installed but not connected. Connect it first, for example with “tailscale up”.',
  missing: 'Porchlight didn’t find Tailscale on this computer. Install it from tailscale.com first.',
  reading: 'what Tailscale says',
  publish: 'Publish Porchlight. The first time, Tailscale asks you to allow Funnel:',
  publishCommand: (port: number) => `tailscale funnel --bg ${port}`,
  publishName: 'the command that publishes Porchlight',
  show: 'Show the public address:',
  showCommand: 'tailscale funnel status',
  showName: 'the command that shows the address',
  again: 'Check again',
  label: 'Your Tailscale address',
  description: 'The address that the second command shows.',
  placeholder: 'https://den.tail1a2b3.ts.net',
};

export const flagsWords = {
  heading: 'A command-line option decides for now.',
  baseUrl: 'with its own public address (--base-url)',
  tunnel: {
    off: 'without a tunnel (--tunnel off)',
    quick: 'with a quick tunnel (--tunnel quick)',
    named: 'with your named tunnel (--tunnel named)',
  },
  explanation: (parts: readonly string[]) =>
    `Porchlight was started ${parts.join(' and ')}. Your choice here is saved. It takes effect when Porchlight starts without ${
      parts.length === 1 ? 'that option' : 'those options'
    }.`,
};

const reasonWords: Record<TunnelReason, string> = {
  rate_limited: 'Wait a few minutes, or use Cloudflare with your own domain, which has no such limit.',
  bad_token: 'Copy the token from Cloudflare’s dashboard again, paste it above, and save.',
  no_token: 'Paste your tunnel’s token above, and save.',
  token_unreadable: 'Unlock this computer’s keychain, then try again.',
  no_network: 'Check that this computer is online, and that no firewall blocks port 7844.',
  intercepted:
    'Turn off the inspection of encrypted connections in your antivirus software or firewall, or ask who runs this network. If it has to stay, enter its certificate under “Options for cloudflared”.',
  wrong_clock: 'Check this computer’s date and time, including the year.',
  bad_certificate:
    'Correct the path of the certificate under “Options for cloudflared”, or remove it, and save.',
  binary_missing: 'Install cloudflared from Cloudflare’s downloads, then try again.',
  download_failed: 'Check that this computer is online and has free disk space, then try again.',
  not_executable: 'Install cloudflared from Cloudflare’s downloads, then try again.',
  not_responding: 'Check that this computer is online, then try again.',
  crashed: 'Try again. If it happens again, read cloudflared’s messages in the log.',
};

/** In place of those above if Porchlight created the tunnel. */
const managedReasonWords: Partial<Record<TunnelReason, string>> = {
  bad_token: 'Disconnect from Cloudflare above, then set up your address again.',
  no_token: 'Disconnect from Cloudflare above, then set up your address again.',
};

const stateWords: Record<Exclude<TunnelStatus['state'], 'connected'>, string> = {
  off: 'The tunnel is off',
  downloading: 'Downloading cloudflared',
  starting: 'The tunnel is starting',
  reconnecting: 'The tunnel is reconnecting',
  failed: 'The tunnel isn’t working',
};

export const tunnelWords = {
  group: 'Tunnel status',
  todo: 'What to do:',
  message: 'cloudflared’s message:',
  reasons: reasonWords,
  managedReasons: managedReasonWords,
  address: 'Public address',
  addressName: 'the public address',
  notStarted: 'The tunnel didn’t start.',
  notStopped: 'The tunnel didn’t stop.',
  retry: 'Try again',
  start: 'Start the tunnel',
  stop: 'Stop the tunnel',
  cancel: 'Cancel the download',
  progress: 'Download progress',
  received: (megabytes: string) => `${megabytes} MB so far`,
  receivedOf: (megabytes: string, total: string) => `${megabytes} of ${total} MB`,
};

/** Returns the heading for a tunnel: "Connected (4 connections)". */
export function tunnelTitle({ state, connections }: TunnelStatus): string {
  if (state !== 'connected') return stateWords[state];
  return connections === 1 ? 'Connected (1 connection)' : `Connected (${connections} connections)`;
}
