import type { Common } from '../../http/common.ts';
import { setTimeout } from 'node:timers/promises';
import { PorchlightError } from '../../contract/error.ts';
import type { TunnelStatus } from '../../contract/reach.ts';
import {
  type CloudflaredAsset,
  cloudflaredAssets,
  cloudflaredOrigin,
  findCloudflared,
  type TunnelRequest,
} from './cloudflared.ts';
import { certificateProblem } from './certificate.ts';
import { downloadCloudflared, downloadedCloudflared } from './download.ts';
import { createCloudflaredRecord } from './leftover.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Env, Pause } from '../../platform/run-program.ts';
import { oneAtATime } from '../../storage/pacing.ts';
import { createTunnelMetrics, createTunnelState } from './state.ts';
import { TunnelRun } from './run.ts';

export type Tunnel = ReturnType<typeof createTunnel>;

export interface TunnelOptions extends Pick<Common, 'log' | 'fetch'> {
  /** The folder, inside the data folder, for the tunnel's config, its pid and the downloaded program. */
  readonly folder: string;
  readonly onChange: (status: TunnelStatus) => void;
  /** The path of cloudflared. If absent, the path from PORCHLIGHT_CLOUDFLARED or from `findCloudflared` is used. */
  readonly binary?: string;
  readonly env?: Env;
  readonly pause?: Pause;
  readonly checkMs?: number;
  /** A monotonic clock for deadlines, in ms. */
  readonly steady?: Clock;
  /** Returns whether this server can be reached through the public address. Never rejects. */
  readonly reaches?: (signal: AbortSignal) => Promise<boolean>;
  /**
   * The cloudflared file to download, and the URL to download it from; null if there is no download for this computer.
   */
  readonly release?: { readonly origin: string; readonly asset: CloudflaredAsset } | null;
}

const checkEveryMs = 15_000;

/**
 * Creates a Cloudflare tunnel from the internet to the public server, and keeps it running. When cloudflared ends,
 * restarts it after 1 s, 2 s, 4 s ... 60 s, unless a restart can't help.
 */
export function createTunnel(options: TunnelOptions) {
  const { log, folder, onChange, env = process.env, pause = wait, checkMs = checkEveryMs } = options;
  const { steady = () => performance.now(), reaches = () => Promise.resolve(false) } = options;
  const state = createTunnelState((status) => {
    log.info({ mode: status.mode, state: status.state }, `tunnel: ${status.words}`);
    onChange(status);
  });
  const metrics = createTunnelMetrics();
  const record = createCloudflaredRecord({ folder, metrics, pause });
  let run: TunnelRun | null = null;
  // Only one start runs at a time. Two simultaneous starts would leave a cloudflared process that nobody stops.
  const inTurn = oneAtATime();

  async function program(signal: AbortSignal, onDownload: () => void): Promise<string> {
    const downloaded = downloadedCloudflared(folder);
    const found = findCloudflared(env, { asked: options.binary, resources: appResources(), downloaded });
    if (found !== undefined) return found;
    const asked = options.binary ?? env['PORCHLIGHT_CLOUDFLARED'] ?? '';
    const { release = releaseForThisComputer() } = options;
    if (asked !== '' || release === null) throw missing(asked);
    const progress = throttled((received, total) => state.downloading(received, total));
    progress(0, null);
    onDownload();
    const { fetch } = options;
    return await downloadCloudflared({ ...release, folder, fetch, signal, onProgress: progress });
  }

  async function end(): Promise<void> {
    await run?.end();
    run = null;
  }

  async function start(request: TunnelRequest): Promise<void> {
    await end();
    state.begin(request);
    if (request.mode === 'named' && (request.token ?? '') === '') {
      const { tokenProblem } = request;
      state.fail(
        tokenProblem === undefined
          ? { reason: 'no_token', words: noToken }
          : { reason: 'token_unreadable', words: tokenProblem },
      );
      return;
    }
    const problem = await certificateProblem(request.certificate ?? '');
    if (problem !== null) {
      state.fail({ reason: 'bad_certificate', words: problem });
      return;
    }
    run = new TunnelRun({
      request,
      folder,
      program,
      env,
      pause,
      checkMs,
      steady,
      reaches,
      log,
      state,
      record,
      metrics,
    });
    await run.started;
  }

  return {
    status: state.status,
    /**
     * Ends the running tunnel, if any, and starts a new one. Resolves once cloudflared is running, is being downloaded,
     * or has failed. Never rejects. The status reports failures.
     */
    start: (request: TunnelRequest) => inTurn(() => start(request)),
    /**
     * Checks at once whether the tunnel works, and skips the pause before a restart. Called when the computer wakes or
     * its network changes.
     */
    check: async () => await run?.check(),
    /** Ends the tunnel. Resolves when cloudflared has ended. */
    stop: () =>
      inTurn(async () => {
        await end();
        state.off();
      }),
  };
}

const noToken = 'A named tunnel needs its token. Copy it from the Cloudflare dashboard into the settings.';

function missing(asked: string): PorchlightError {
  const words =
    asked === ''
      ? 'This computer has no cloudflared program, and Cloudflare offers no download for it. Install cloudflared, or set PORCHLIGHT_CLOUDFLARED to its path. Then start the tunnel again.'
      : `${asked} isn’t a program. Set PORCHLIGHT_CLOUDFLARED to the path of cloudflared, then start the tunnel again.`;
  return new PorchlightError('binary_missing', words);
}

function releaseForThisComputer(): NonNullable<TunnelOptions['release']> | null {
  const asset = cloudflaredAssets[`${process.platform}-${process.arch}`];
  return asset === undefined ? null : { origin: cloudflaredOrigin, asset };
}

/** Returns the folder of the app's bundled resources; undefined outside Electron. */
function appResources(): string | undefined {
  return (process as { readonly resourcesPath?: string }).resourcesPath;
}

type Progress = (received: number, total: number | null) => void;

/**
 * Reports progress only at each percent, or at each megabyte if the total is unknown, so that windows don't get too
 * many updates.
 */
function throttled(report: Progress): Progress {
  let reported = -Infinity;
  return (received, total) => {
    const step = total === null ? 1_000_000 : total / 100;
    if (received > reported && received - reported < step && received !== total) return;
    reported = received;
    report(received, total);
  };
}

async function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
}
