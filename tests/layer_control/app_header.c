/* app_header.c - reel_app.h in a program that has no Reel in it: everything does nothing. */
#include "reel_app.h"

int main(void) {
  reel_app_push_scope("scope");
  reel_app_label(NULL, "name");
  reel_app_pop_scope();
  return reel_app() == NULL && reel_app_start("x.reel") == REEL_APP_ABSENT &&
                 reel_app_stop() == REEL_APP_ABSENT && reel_app_trigger() == REEL_APP_ABSENT &&
                 reel_app_set_path("x.reel") == REEL_APP_ABSENT && reel_app_is_capturing() == 0 &&
                 *reel_app_last_error() == '\0'
             ? 0
             : 1;
}
