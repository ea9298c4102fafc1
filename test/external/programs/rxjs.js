import {
  catchError,
  concatMap,
  delay,
  firstValueFrom,
  from,
  interval,
  lastValueFrom,
  map,
  mergeMap,
  of,
  scan,
  take,
  throwError,
  toArray,
} from "rxjs";

export const folds = () =>
  lastValueFrom(
    from([1, 2, 3]).pipe(
      scan((sum, n) => sum + n, 0),
      toArray(),
    ),
  );
export const waits = () =>
  lastValueFrom(
    interval(2).pipe(
      take(3),
      map((n) => n * 10),
      toArray(),
    ),
  );
export const orders = () =>
  lastValueFrom(
    of(3, 1, 2).pipe(
      concatMap((n) => of(n).pipe(delay(n))),
      toArray(),
    ),
  );
export const recovers = () =>
  firstValueFrom(
    of(1).pipe(
      mergeMap(() => throwError(() => new Error("no"))),
      catchError((error) => of(error.message)),
    ),
  );
