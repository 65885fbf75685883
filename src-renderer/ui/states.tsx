import { Button, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle } from './icons.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { Drawing, type DrawingName } from './drawing.tsx';
import { Foreign } from './foreign.tsx';
import shared from './shared.module.css';
import { commonWords, stateWords } from './words.ts';

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  /** What loads, for the messages: "your apps". */
  readonly what: string;
  readonly children: (data: T) => ReactNode;
}

/** Shows the answer to a query, and the states before and instead of it. */
export function Loaded<T>({ query, what, children }: LoadedProps<T>): ReactElement {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) {
    return (
      <Stack gap="sm" align="flex-start">
        <ErrorNote error={query.error} doing={stateWords.failed(what)} />
        <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          {commonWords.tryAgain}
        </Button>
      </Stack>
    );
  }
  return <Loading what={what} />;
}

/** Takes the place of something that loads. `what`: its name, as in "your apps". */
export function Loading({ what }: { what: string }): ReactElement {
  return (
    <div role="status">
      <VisuallyHidden>{stateWords.loading(what)}</VisuallyHidden>
      <Skeleton height={18} width="60%" mb="sm" />
      <Skeleton height={18} width="40%" />
    </div>
  );
}

/** Shows why a call failed. Renders nothing without an error. */
export function ErrorNote({ error, doing }: { error: Error | null; doing?: string }): ReactElement | null {
  if (!error) return null;
  return (
    <div role="alert" className={`${shared.note} ${shared.errorNote}`}>
      <IconAlertTriangle size={20} aria-hidden="true" />
      <div className={shared.rowBody}>
        {doing !== undefined && <Text fw={600}>{doing}</Text>}
        <Text>
          <Foreign text={error.message} fallback={stateWords.unknownReason} />
        </Text>
      </div>
    </div>
  );
}

/** Shows something that the owner should know before continuing. */
export function WarningNote({ children }: { children: ReactNode }): ReactElement {
  return (
    <div className={`${shared.note} ${shared.warningNote}`}>
      <IconAlertTriangle size={20} aria-hidden="true" />
      <div className={shared.rowBody}>{children}</div>
    </div>
  );
}

interface EmptyProps {
  /** Says what the list is for, or why it is empty. */
  readonly children: ReactNode;
  /** The picture above the words. */
  readonly drawing?: DrawingName;
  /** The one button that leads on. */
  readonly step?: ReactNode;
}

/** Replaces an empty list: a drawing, its purpose, and the next step. */
export function Empty({ children, drawing, step }: EmptyProps): ReactElement {
  return (
    <div className={shared.empty}>
      {drawing !== undefined && <Drawing name={drawing} />}
      <Text maw={420}>{children}</Text>
      {step}
    </div>
  );
}

interface NoMatchProps {
  /** Says that nothing matches. */
  readonly children: ReactNode;
  /** The words of the button that removes the filters. */
  readonly showAll: string;
  readonly onShowAll: () => void;
}

/** Replaces a list in which nothing matches the filters. */
export function NoMatch({ children, showAll, onShowAll }: NoMatchProps): ReactElement {
  return (
    <Empty
      drawing="search"
      step={
        <Button variant="default" onClick={onShowAll}>
          {showAll}
        </Button>
      }
    >
      {children}
    </Empty>
  );
}

interface MoreFailedProps {
  readonly list: {
    readonly isFetchNextPageError: boolean;
    readonly error: Error | null;
    readonly isFetching: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  /** Says what couldn't be read. */
  readonly doing: string;
}

/** Says below a list that its next items couldn't be read, and tries again. */
export function MoreFailed({ list, doing }: MoreFailedProps): ReactElement | null {
  if (!list.isFetchNextPageError) return null;
  return (
    <>
      <ErrorNote error={list.error} doing={doing} />
      <Button variant="default" mt="sm" loading={list.isFetching} onClick={() => void list.fetchNextPage()}>
        {commonWords.tryAgain}
      </Button>
    </>
  );
}
