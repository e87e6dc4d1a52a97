// A NestJS module that provides the client and a queue of views, with a controller and an exception filter that use it.
// Import `LandingPagesModule` in the module of your app, and call `app.enableShutdownHooks()` so that no view is lost.
import "reflect-metadata";
import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  Delete,
  type ExceptionFilter,
  Get,
  HttpCode,
  Inject,
  Module,
  NotFoundException,
  type OnApplicationShutdown,
  Param,
  Post,
} from "@nestjs/common";
import { APP_FILTER } from "@nestjs/core";
import {
  BadRequestError,
  type CreatePage,
  type EventQueue,
  InvalidInputError,
  LandingPages,
  LandingPagesError,
  NotFoundError,
  RateLimitError,
} from "@landing-page-service/sdk";
import type { Response } from "express";

/** The queue that records views, so that a visitor never waits for analytics. */
export class Views implements OnApplicationShutdown {
  readonly queue: EventQueue;

  constructor(client: LandingPages) {
    this.queue = client.analytics.queue({
      onLost: (event, reason) => console.error("lost a view of", event.pageId, reason),
    });
  }

  /** Nest calls this after the last request. */
  async onApplicationShutdown(): Promise<void> {
    await this.queue.close();
  }
}

@Controller("pages")
export class PagesController {
  @Inject(LandingPages) private readonly client!: LandingPages;
  @Inject(Views) private readonly views!: Views;

  @Post()
  async create(@Body() input: CreatePage) {
    const page = await this.client.pages.create(input);
    return { id: page.id, url: page.domains[0]?.url };
  }

  @Get(":slug")
  async show(@Param("slug") slug: string) {
    const page = await this.client.pages.find({ slug });
    if (page === undefined) throw new NotFoundException();
    this.views.queue.push({ pageId: page.id });
    return { title: page.title, content: page.content };
  }

  @Delete(":id")
  @HttpCode(204)
  async delete(@Param("id") id: string) {
    await this.client.pages.delete(id);
  }
}

/** Turns the errors of the client into responses. */
@Catch(LandingPagesError)
export class LandingPagesFilter implements ExceptionFilter<LandingPagesError> {
  catch(error: LandingPagesError, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (InvalidInputError.is(error) || BadRequestError.is(error)) {
      response.status(422).json({ fields: error.fieldErrors });
    } else if (NotFoundError.is(error)) {
      response.status(404).json({ message: "There is no such page." });
    } else if (RateLimitError.is(error)) {
      const seconds = Math.ceil((error.retryAfterMs ?? 1000) / 1000);
      response.status(503).set("Retry-After", String(seconds)).json({ message: "Please try again later." });
    } else {
      console.error(error);
      response.status(502).json({ message: "The landing page service does not respond as it should." });
    }
  }
}

@Module({
  controllers: [PagesController],
  providers: [
    // A visitor waits for these calls: give up early instead of waiting a minute for the rate limit.
    { provide: LandingPages, useFactory: () => new LandingPages({ retry: { maxWaitMs: 2000 }, totalTimeoutMs: 5000 }) },
    { provide: Views, useFactory: (client: LandingPages) => new Views(client), inject: [LandingPages] },
    { provide: APP_FILTER, useClass: LandingPagesFilter },
  ],
  exports: [LandingPages, Views],
})
export class LandingPagesModule {}
