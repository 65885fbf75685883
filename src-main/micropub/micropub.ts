import type { FastifyPluginCallback } from 'fastify';
import { micropubRoutes, type MicropubRouteDeps } from './routes.ts';

export type { Authorize } from '../http/authorize.ts';
export type { ToldChange } from './actions.ts';
export type MicropubDeps = MicropubRouteDeps;

export interface Micropub {
  readonly routes: FastifyPluginCallback[];
}

/** Creates the Micropub server (W3C Micropub). It opens no port: `routes` must be registered in the public app. */
export function createMicropub(deps: MicropubDeps): Micropub {
  return { routes: [micropubRoutes(deps)] };
}
