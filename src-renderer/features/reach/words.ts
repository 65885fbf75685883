import type { TunnelReason, TunnelStatus } from '../../../src-main/contract/reach.ts';
import { tunnelOptions } from '../../../src-main/contract/tunnel-options.ts';

/**
 * The ways to a public address, as the owner sees them. `named` and `hand` are both a named tunnel: Porchlight sets it up
 * with an API token, or the owner does. A proxy and Tailscale are both "off" with an address.
 */
export type Way = 'named' | 'tailscale' | 'quick' | 'proxy' | 'hand' | 'off';

export const reachWords = {
  phones: 'If the public address changes, your phones can’t approve sign-ins until you pair them again.',
  others: 'Other ways',
  reading: {
    settings: 'your public address',
    token: 'whether a token is stored',
    tunnel: 'the state of the tunnel',
    tailscale: 'whether Tailscale is installed',
  },
  continue: 'Continue',
  notSaved: 'Your choice wasn’t saved.',
  /** While the set-up waits for the public address. */
  waiting: 'Waiting for your public address…',
  newAddress: 'New addresses take up to a minute.',
  notAnswering: 'Your new address doesn’t answer yet. You can continue and check again in the last step.',
};

/** Each way's name, and what the owner needs for it or gets from it. In the order in which they are offered. */
export const wayWords: Record<Way, { readonly label: string; readonly about: string }> = {
  named: {
    label: 'Cloudflare with your own domain',
    about: 'Best for everyday use. You need a free Cloudflare account and a domain that uses Cloudflare DNS.',
  },
  tailscale: {
    label: 'Tailscale Funnel',
    about: 'No domain needed. You use Tailscale on this computer, and get an address that stays the same.',
  },
  quick: {
    label: 'Quick tunnel',
    about:
      'For trying it out, without an account. The address changes at each start, so sign-ins don’t last.',
  },
  proxy: {
    label: 'Your own reverse proxy',
    about: 'Your proxy already forwards a public HTTPS address to this computer.',
  },
  hand: {
    label: 'Cloudflare, set up by hand',
    about: 'You create the tunnel at Cloudflare yourself, and paste its token.',
  },
  off: {
    label: 'Not yet (this computer only)',
    about: 'Apps on the web can’t sign you in.',
  },
};

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
  running: (name: string) => `Tailscale is connected. This computer is called ${name}.`,
  starts: 'Porchlight starts Funnel for you.',
  nameless: 'Tailscale is connected, but this computer has no name that Funnel can use.',
  stopped: 'Tailscale is installed but not connected. Connect it first, for example with “tailscale up”.',
  missing: 'Porchlight didn’t find Tailscale on this computer. Install it from tailscale.com first.',
  reading: 'what Tailscale says',
  again: 'Check again',
  failed: 'Porchlight couldn’t start Funnel.',
  failedHelp: 'Start it in a terminal as shown below. Then try again here.',
  consent: 'Tailscale asks for your permission first.',
  consentLink: 'Allow Funnel at Tailscale',
  consentThen: 'Then come back and try again.',
  heading: 'Start it in a terminal instead',
  publish: 'Publish Porchlight. The first time, Tailscale asks you to allow Funnel:',
  publishCommand: (port: number) => `tailscale funnel --bg ${port}`,
  publishName: 'the command that publishes Porchlight',
  show: 'Show the public address:',
  showCommand: 'tailscale funnel status',
  showName: 'the command that shows the address',
  label: 'Your Tailscale address',
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
  bad_token: 'Copy the token from Cloudflare’s dashboard again, paste it as the new token, and save.',
  no_token: 'Paste your tunnel’s token, and save.',
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
