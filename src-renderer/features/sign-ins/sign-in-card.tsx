import { Checkbox, Group, Stack, Text, Title } from '@mantine/core';
import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ReactElement,
  type RefObject,
} from 'react';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { readsAndPublishes, type Settlement, type SignIn } from '../../../src-main/contract/sign-ins.ts';
import { useAction } from '../../client/queries.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Address, Foreign } from '../../ui/foreign.tsx';
import { LifetimeChoice } from '../../ui/lifetime-choice.tsx';
import shared from '../../ui/shared.module.css';
import { Phrase } from '../../ui/phrase.tsx';
import { shortened } from '../../ui/plain-text.ts';
import { ScopeChoice } from '../../ui/scope-choice.tsx';
import { grantable } from '../../ui/scopes.ts';
import { focusedElement } from '../../ui/keep-focus.ts';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { bringIntoView } from '../../ui/stillness.ts';
import { timeLeft, useNow } from '../../ui/time.ts';
import type { Ending } from './outcome.ts';
import styles from './sign-ins.module.css';
import { cardWords } from './words.ts';

interface Props {
  readonly signIn: SignIn;
  /** True where the owner came for this one. */
  readonly asked: boolean;
  readonly onEnd: (ending: Ending) => void;
  /** Hears, as the card goes, whether the focus was in it. */
  readonly onLeave: (hadFocus: boolean) => void;
}

/** One sign-in, with all that the owner needs to answer it. */
export function SignInCard({ signIn, asked, onEnd, onLeave }: Props): ReactElement {
  const titleId = useId();
  const codeId = useId();
  const compareId = useId();
  const card = useRef<HTMLElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const [scopes, setScopes] = useState(() =>
    grantable(signIn.scopes).filter(signIn.assistant === true ? needsNoTick : always),
  );
  const [isWarned, setIsWarned] = useState(false);
  const readsBoth = readsAndPublishes([...scopes, ...(signIn.held ?? [])]);
  const [expiresIn, setExpiresIn] = useState<number | null>(null);
  const approve = useAction('signIns.approve');
  const deny = useAction('signIns.deny');
  const busy = approve.isPending || deny.isPending;
  const now = useNow();

  useEffect(() => {
    if (!asked) return;
    if (!title.current) return;
    title.current.focus({ preventScroll: true });
    bringIntoView(title.current, 'center');
  }, [asked]);

  useReportLeaving(card, onLeave);

  // A promise is heard also where an event took the card away before the answer came.
  const hear = (answer: Promise<Settlement>) =>
    void answer.then(
      ({ outcome }) => onEnd(outcome),
      (error: unknown) => {
        if (error instanceof PorchlightError && error.code === 'not_found') onEnd('gone');
      },
    );
  const onApprove = () => {
    deny.reset();
    // In the order in which the app asked, whatever order they were ticked in.
    const granted = signIn.scopes.filter((scope) => scopes.includes(scope));
    const params = { id: signIn.id, scopes: [...new Set(granted)], ...(readsBoth && { both: isWarned }) };
    hear(approve.mutateAsync(expiresIn === null ? params : { ...params, expiresIn }));
  };
  const onDeny = () => {
    approve.reset();
    hear(deny.mutateAsync({ id: signIn.id }));
  };

  return (
    <section
      ref={card}
      aria-labelledby={titleId}
      className={`${shared.card} ${shared.waiting} ${styles.card}`}
    >
      <Stack gap="sm">
        <Head {...{ signIn, titleId, codeId, title }} />
        <Text size="sm" id={compareId}>
          {cardWords.compare}
        </Text>
        {signIn.warnings.map((warning) => (
          <WarningNote key={warning}>
            <Foreign text={warning} />
          </WarningNote>
        ))}
        <Terms {...{ signIn, scopes, setScopes, expiresIn, setExpiresIn }} />
        {readsBoth && (
          <WarningNote>
            <Checkbox
              checked={isWarned}
              onChange={(event) => setIsWarned(event.currentTarget.checked)}
              label={cardWords.both}
              description={cardWords.aboutBoth}
            />
          </WarningNote>
        )}
        <ErrorNote error={approve.error ?? deny.error} doing={cardWords.failed} />
        <Group>
          <SteadyButton
            color="amber.5"
            loading={approve.isPending}
            disabled={busy || (readsBoth && !isWarned)}
            // With Tab, a screen reader gets here without reading the code.
            aria-describedby={`${codeId} ${compareId}`}
            ignoredWords={cardWords.ignoredClick}
            onClick={onApprove}
          >
            {cardWords.approve}
          </SteadyButton>
          <SteadyButton
            variant="default"
            loading={deny.isPending}
            disabled={busy}
            ignoredWords={cardWords.ignoredClick}
            onClick={onDeny}
          >
            {cardWords.deny}
          </SteadyButton>
          <Text size="sm" c="dimmed">
            {timeLeft(signIn.expiresAt, now)}
          </Text>
        </Group>
      </Stack>
    </section>
  );
}

interface TermsProps {
  readonly signIn: SignIn;
  readonly scopes: readonly string[];
  readonly setScopes: (scopes: string[]) => void;
  readonly expiresIn: number | null;
  readonly setExpiresIn: (seconds: number | null) => void;
}

/** What the app may do, for how long, and where the answer goes. */
function Terms({ signIn, scopes, setScopes, expiresIn, setExpiresIn }: TermsProps): ReactElement {
  return (
    <div className={styles.terms}>
      {signIn.scopes.length === 0 ? (
        <Text>{cardWords.onlyAddress}</Text>
      ) : (
        <ScopeChoice permissions={signIn.permissions} chosen={scopes} onChange={setScopes} />
      )}
      <Stack gap="sm">
        <LifetimeChoice
          label={cardWords.stays}
          endless={cardWords.endless}
          seconds={expiresIn}
          onChange={setExpiresIn}
        />
        <dl className={styles.facts}>
          <dt>{cardWords.clientId}</dt>
          <dd>
            <Address url={signIn.clientId} />
          </dd>
          <dt>{cardWords.redirectUri}</dt>
          <dd>
            <Address url={signIn.redirectUri} />
          </dd>
        </dl>
      </Stack>
    </div>
  );
}

interface HeadProps {
  readonly signIn: SignIn;
  readonly titleId: string;
  readonly codeId: string;
  readonly title: RefObject<HTMLHeadingElement | null>;
}

/** Who asks, and the code. */
function Head({ signIn, titleId, codeId, title }: HeadProps): ReactElement {
  // A longer name would push the host out of sight.
  const name = shortened(signIn.clientName, 60);
  return (
    <div className={styles.head}>
      <AppMark name={signIn.clientName} address={signIn.clientId} logo={signIn.clientLogo} large />
      <div className={shared.rowBody}>
        <Title order={2} id={titleId} ref={title} tabIndex={-1} className={`${styles.name} ${shared.wrap}`}>
          <Phrase
            text={name === '' ? cardWords.questionOfHost : cardWords.question}
            parts={{ app: <Foreign text={name} />, host: <Foreign text={signIn.clientHost} /> }}
          />
        </Title>
        {signIn.device !== null && (
          <Text size="sm" c="dimmed">
            {cardWords.from(signIn.device)}
          </Text>
        )}
      </div>
      <div id={codeId} className={styles.code}>
        <Text size="xs" c="dimmed">
          {cardWords.matchCode}{' '}
        </Text>
        <span className={styles.digits}>{signIn.matchCode}</span>
      </div>
    </div>
  );
}

const always = () => true;
/** Whether an assistant may do something without a tick of the owner's: publishing needs one. */
const needsNoTick = (scope: string) => scope !== 'create' && scope !== 'post';

/** Layout effects end while the card is still in the document, so it still knows its focus. */
function useReportLeaving(card: RefObject<HTMLElement | null>, onLeave: Props['onLeave']): void {
  const report = useRef(onLeave);
  useLayoutEffect(() => {
    report.current = onLeave;
  }, [onLeave]);
  useLayoutEffect(() => {
    const element = card.current;
    return () => {
      if (element) report.current(element.contains(focusedElement()));
    };
  }, [card]);
}
