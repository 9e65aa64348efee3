// Misspelt names of callbacks: a letter that is left out, doubled or exchanged with the next one,
// and other cases. For the compile-time errors of callback_check.hpp.
#pragma once

#include <type_traits>

#include <nexusfix/base/language.hpp>

namespace nexusfix::engine::detail {

// clang-format off
#define NEXUSFIX_NEAR_ON_LOGON(X) \
  X(onlogon) X(on_ogon) X(on_lgon) X(on_loon) X(on_logn) X(on_logo) X(on_llogon) X(on_loogon)     \
  X(on_loggon) X(on_logoon) X(on_logonn) X(on_olgon) X(on_lgoon) X(on_loogn) X(on_logno)          \
  X(On_logon) X(On_Logon) X(on_Logon) X(ON_LOGON) X(Onlogon) X(on_loggedon)
#define NEXUSFIX_NEAR_ON_LOGOUT(X) \
  X(onlogout) X(on_ogout) X(on_lgout) X(on_loout) X(on_logut) X(on_logot) X(on_logou)             \
  X(on_llogout) X(on_loogout) X(on_loggout) X(on_logoout) X(on_logouut) X(on_logoutt)             \
  X(on_olgout) X(on_lgoout) X(on_loogut) X(on_loguot) X(on_logotu) X(On_logout) X(On_Logout)      \
  X(on_Logout) X(ON_LOGOUT) X(Onlogout) X(on_loggedout)
#define NEXUSFIX_NEAR_ON_MESSAGE(X) \
  X(onmessage) X(on_essage) X(on_mssage) X(on_mesage) X(on_messge) X(on_messae) X(on_messag)      \
  X(on_mmessage) X(on_meessage) X(on_messsage) X(on_messaage) X(on_messagge) X(on_messagee)       \
  X(on_emssage) X(on_msesage) X(on_mesasge) X(on_messgae) X(on_messaeg) X(On_message)             \
  X(On_Message) X(on_Message) X(ON_MESSAGE) X(Onmessage) X(on_massage) X(on_messege) X(fromapp)
#define NEXUSFIX_NEAR_ON_RECOVERED(X) \
  X(onrecovered) X(on_ecovered) X(on_rcovered) X(on_reovered) X(on_recvered) X(on_recoered)       \
  X(on_recovred) X(on_recoveed) X(on_recoverd) X(on_recovere) X(on_rrecovered) X(on_reecovered)   \
  X(on_reccovered) X(on_recoovered) X(on_recovvered) X(on_recoveered) X(on_recoverred)            \
  X(on_recovereed) X(on_recoveredd) X(on_ercovered) X(on_rceovered) X(on_reocvered)               \
  X(on_recvoered) X(on_recoevred) X(on_recovreed) X(on_recoveerd) X(on_recoverde)                 \
  X(On_recovered) X(On_Recovered) X(on_Recovered) X(ON_RECOVERED) X(Onrecovered)
#define NEXUSFIX_NEAR_ON_LOGON_REQUEST(X) \
  X(onlogon_request) X(on_ogon_request) X(on_lgon_request) X(on_loon_request) X(on_logn_request)  \
  X(on_logo_request) X(on_logonrequest) X(on_logon_equest) X(on_logon_rquest) X(on_logon_reuest)  \
  X(on_logon_reqest) X(on_logon_requst) X(on_logon_requet) X(on_logon_reques)                     \
  X(on_llogon_request) X(on_loogon_request) X(on_loggon_request) X(on_logoon_request)             \
  X(on_logonn_request) X(on_logon_rrequest) X(on_logon_reequest) X(on_logon_reqquest)             \
  X(on_logon_requuest) X(on_logon_requeest) X(on_logon_requesst) X(on_logon_requestt)             \
  X(on_olgon_request) X(on_lgoon_request) X(on_loogn_request) X(on_logno_request)                 \
  X(on_logo_nrequest) X(on_logonr_equest) X(on_logon_erquest) X(on_logon_rqeuest)                 \
  X(on_logon_reuqest) X(on_logon_reqeust) X(on_logon_requset) X(on_logon_requets)                 \
  X(On_logon_request) X(On_Logon_Request) X(on_Logon_request) X(ON_LOGON_REQUEST)                 \
  X(onlogonrequest) X(Onlogonrequest)
#define NEXUSFIX_NEAR_ON_ADMIN(X) \
  X(onadmin) X(on_dmin) X(on_amin) X(on_adin) X(on_admn) X(on_admi) X(on_aadmin) X(on_addmin)     \
  X(on_admmin) X(on_admiin) X(on_adminn) X(on_damin) X(on_amdin) X(on_adimn) X(on_admni)          \
  X(On_admin) X(On_Admin) X(on_Admin) X(ON_ADMIN) X(Onadmin) X(fromadmin)
#define NEXUSFIX_NEAR_ON_SENDING(X) \
  X(onsending) X(on_snding) X(on_seding) X(on_sening) X(on_sendng) X(on_sendig) X(on_sendin)      \
  X(on_ssending) X(on_seending) X(on_sennding) X(on_sendding) X(on_sendiing) X(on_sendinng)       \
  X(on_sendingg) X(on_esnding) X(on_sneding) X(on_sedning) X(on_senidng) X(on_sendnig)            \
  X(on_sendign) X(On_sending) X(On_Sending) X(on_Sending) X(ON_SENDING) X(Onsending) X(toapp)
#define NEXUSFIX_NEAR_ON_SENT(X) \
  X(onsent) X(on_ent) X(on_snt) X(on_sen) X(on_ssent) X(on_seent) X(on_sennt) X(on_sentt)         \
  X(on_esnt) X(on_snet) X(on_setn) X(On_sent) X(On_Sent) X(on_Sent) X(ON_SENT) X(Onsent)
#define NEXUSFIX_NEAR_ON_RESEND_REQUEST(X) \
  X(onresend_request) X(on_esend_request) X(on_rsend_request) X(on_reend_request)                 \
  X(on_resnd_request) X(on_resed_request) X(on_resen_request) X(on_resendrequest)                 \
  X(on_resend_equest) X(on_resend_rquest) X(on_resend_reuest) X(on_resend_reqest)                 \
  X(on_resend_requst) X(on_resend_requet) X(on_resend_reques) X(on_rresend_request)               \
  X(on_reesend_request) X(on_ressend_request) X(on_reseend_request) X(on_resennd_request)         \
  X(on_resendd_request) X(on_resend_rrequest) X(on_resend_reequest) X(on_resend_reqquest)         \
  X(on_resend_requuest) X(on_resend_requeest) X(on_resend_requesst) X(on_resend_requestt)         \
  X(on_ersend_request) X(on_rseend_request) X(on_reesnd_request) X(on_resned_request)             \
  X(on_resedn_request) X(on_resen_drequest) X(on_resendr_equest) X(on_resend_erquest)             \
  X(on_resend_rqeuest) X(on_resend_reuqest) X(on_resend_reqeust) X(on_resend_requset)             \
  X(on_resend_requets) X(On_resend_request) X(On_Resend_Request) X(on_Resend_request)             \
  X(ON_RESEND_REQUEST) X(onresendrequest) X(Onresendrequest)
#define NEXUSFIX_NEAR_ON_DISCONNECT(X) \
  X(ondisconnect) X(on_isconnect) X(on_dsconnect) X(on_diconnect) X(on_disonnect)                 \
  X(on_discnnect) X(on_disconect) X(on_disconnct) X(on_disconnet) X(on_disconnec)                 \
  X(on_ddisconnect) X(on_diisconnect) X(on_dissconnect) X(on_discconnect) X(on_discoonnect)       \
  X(on_disconnnect) X(on_disconneect) X(on_disconnecct) X(on_disconnectt) X(on_idsconnect)        \
  X(on_dsiconnect) X(on_dicsonnect) X(on_disocnnect) X(on_discnonect) X(on_disconenct)            \
  X(on_disconncet) X(on_disconnetc) X(On_disconnect) X(On_Disconnect) X(on_Disconnect)            \
  X(ON_DISCONNECT) X(Ondisconnect)
#define NEXUSFIX_NEAR_WRITE_LOGON(X) \
  X(wite_logon) X(wrte_logon) X(wrie_logon) X(writ_logon) X(writelogon) X(write_ogon)             \
  X(write_lgon) X(write_loon) X(write_logn) X(write_logo) X(wrrite_logon) X(wriite_logon)         \
  X(writte_logon) X(writee_logon) X(write_llogon) X(write_loogon) X(write_loggon)                 \
  X(write_logoon) X(write_logonn) X(wirte_logon) X(wrtie_logon) X(wriet_logon) X(writ_elogon)     \
  X(writel_ogon) X(write_olgon) X(write_lgoon) X(write_loogn) X(write_logno) X(Write_logon)       \
  X(Write_Logon) X(write_Logon) X(WRITE_LOGON) X(Writelogon) X(toadmin)
#define NEXUSFIX_NEAR_ON_WRITABLE(X) \
  X(onwritable) X(on_ritable) X(on_witable) X(on_wrtable) X(on_wriable) X(on_writble)             \
  X(on_writale) X(on_writabe) X(on_writabl) X(on_wwritable) X(on_wrritable) X(on_wriitable)       \
  X(on_writtable) X(on_writaable) X(on_writabble) X(on_writablle) X(on_writablee) X(on_rwitable)  \
  X(on_wirtable) X(on_wrtiable) X(on_wriatble) X(on_writbale) X(on_writalbe) X(on_writabel)       \
  X(On_writable) X(On_Writable) X(on_Writable) X(ON_WRITABLE) X(Onwritable) X(on_writeable)       \
  X(onWriteable) X(OnWriteable) X(onwriteable)
// clang-format on

#define NEXUSFIX_NAME(name) int name;
struct CallbackSpellings {
  NEXUSFIX_NEAR_ON_LOGON(NEXUSFIX_NAME)
  NEXUSFIX_NEAR_ON_LOGOUT(NEXUSFIX_NAME)
  NEXUSFIX_NEAR_ON_MESSAGE(NEXUSFIX_NAME)
  NEXUSFIX_NEAR_ON_RECOVERED(NEXUSFIX_NAME)
  NEXUSFIX_NEAR_ON_LOGON_REQUEST(NEXUSFIX_NAME)
  NEXUSFIX_NEAR_ON_ADMIN(NEXUSFIX_NAME)
  NEXUSFIX_NEAR_ON_SENDING(NEXUSFIX_NAME)
  NEXUSFIX_NEAR_ON_SENT(NEXUSFIX_NAME)
  NEXUSFIX_NEAR_ON_RESEND_REQUEST(NEXUSFIX_NAME)
  NEXUSFIX_NEAR_ON_DISCONNECT(NEXUSFIX_NAME)
  NEXUSFIX_NEAR_WRITE_LOGON(NEXUSFIX_NAME)
  NEXUSFIX_NEAR_ON_WRITABLE(NEXUSFIX_NAME)
};
#undef NEXUSFIX_NAME
// As WithNames in callback_names.hpp.
template <class A>
struct WithSpellings : A, CallbackSpellings {
 protected:
  ~WithSpellings() = default;
};

// Its instantiation gives the errors of misspelt names, also beside the right one.
template <class A>
struct SpellingCheck {
  using Looked = std::conditional_t<std::is_final_v<A>, A, WithSpellings<A>>;
  // Whether A has a name that can, or cannot, be named in Looked.
  static consteval bool has(bool is_named) { return is_named == std::is_final_v<A>; }

#define NEXUSFIX_HAS(name) || has(requires { &Looked::name; })
  static constexpr bool kNear_on_logon = false NEXUSFIX_NEAR_ON_LOGON(NEXUSFIX_HAS);
  static constexpr bool kNear_on_logout = false NEXUSFIX_NEAR_ON_LOGOUT(NEXUSFIX_HAS);
  static constexpr bool kNear_on_message = false NEXUSFIX_NEAR_ON_MESSAGE(NEXUSFIX_HAS);
  static constexpr bool kNear_on_recovered = false NEXUSFIX_NEAR_ON_RECOVERED(NEXUSFIX_HAS);
  static constexpr bool kNear_on_logon_request = false NEXUSFIX_NEAR_ON_LOGON_REQUEST(NEXUSFIX_HAS);
  static constexpr bool kNear_on_admin = false NEXUSFIX_NEAR_ON_ADMIN(NEXUSFIX_HAS);
  static constexpr bool kNear_on_sending = false NEXUSFIX_NEAR_ON_SENDING(NEXUSFIX_HAS);
  static constexpr bool kNear_on_sent = false NEXUSFIX_NEAR_ON_SENT(NEXUSFIX_HAS);
  static constexpr bool kNear_on_resend_request =
      false NEXUSFIX_NEAR_ON_RESEND_REQUEST(NEXUSFIX_HAS);
  static constexpr bool kNear_on_disconnect = false NEXUSFIX_NEAR_ON_DISCONNECT(NEXUSFIX_HAS);
  static constexpr bool kNear_write_logon = false NEXUSFIX_NEAR_WRITE_LOGON(NEXUSFIX_HAS);
  static constexpr bool kNear_on_writable = false NEXUSFIX_NEAR_ON_WRITABLE(NEXUSFIX_HAS);
#undef NEXUSFIX_HAS

  static_assert(!kNear_on_logon, "a name like on_logon() is not called: it is on_logon()");
  static_assert(!kNear_on_logout, "a name like on_logout() is not called: it is on_logout()");
  static_assert(!kNear_on_message, "a name like on_message() is not called: it is on_message()");
  static_assert(!kNear_on_recovered,
                "a name like on_recovered() is not called: it is on_recovered()");
  static_assert(!kNear_on_logon_request,
                "a name like on_logon_request() is not called: it is on_logon_request()");
  static_assert(!kNear_on_admin, "a name like on_admin() is not called: it is on_admin()");
  static_assert(!kNear_on_sending, "a name like on_sending() is not called: it is on_sending()");
  static_assert(!kNear_on_sent, "a name like on_sent() is not called: it is on_sent()");
  static_assert(!kNear_on_resend_request,
                "a name like on_resend_request() is not called: it is on_resend_request()");
  static_assert(!kNear_on_disconnect,
                "a name like on_disconnect() is not called: it is on_disconnect()");
  static_assert(!kNear_write_logon, "a name like write_logon() is not called: it is write_logon()");
  static_assert(!kNear_on_writable, "a name like on_writable() is not called: it is on_writable()");
  static constexpr bool kIsNear = kNear_on_logon || kNear_on_logout || kNear_on_message ||
                                  kNear_on_recovered || kNear_on_logon_request || kNear_on_admin ||
                                  kNear_on_sending || kNear_on_sent || kNear_on_resend_request ||
                                  kNear_on_disconnect || kNear_write_logon || kNear_on_writable;
  static constexpr bool kDone = true;
};

#undef NEXUSFIX_NEAR_ON_LOGON
#undef NEXUSFIX_NEAR_ON_LOGOUT
#undef NEXUSFIX_NEAR_ON_MESSAGE
#undef NEXUSFIX_NEAR_ON_RECOVERED
#undef NEXUSFIX_NEAR_ON_LOGON_REQUEST
#undef NEXUSFIX_NEAR_ON_ADMIN
#undef NEXUSFIX_NEAR_ON_SENDING
#undef NEXUSFIX_NEAR_ON_SENT
#undef NEXUSFIX_NEAR_ON_RESEND_REQUEST
#undef NEXUSFIX_NEAR_ON_DISCONNECT
#undef NEXUSFIX_NEAR_WRITE_LOGON
#undef NEXUSFIX_NEAR_ON_WRITABLE

}  // namespace nexusfix::engine::detail
