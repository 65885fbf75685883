import { mailboxPath } from '../../platform/mailbox-protocol.ts';
import { answerCall, answerVisitor, type Env } from './passing.ts';

export { Mailbox } from './mailbox.ts';

/** The program at Cloudflare, a Worker. Every request from the web to the server passes through it. */
export default {
  fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url);
    const isCall = pathname === mailboxPath || pathname.startsWith(`${mailboxPath}/`);
    return isCall ? answerCall(request, env) : answerVisitor(request, env, context);
  },
};
